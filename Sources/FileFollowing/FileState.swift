/// What becomes of a file that is followed: a value, without clock, disk or network. `FollowedFile` performs its actions.
///
/// | state | event | then; actions |
/// |---|---|---|
/// | `undecided`: open, all of it may have been read from another file | `changed`, `missing`, `looked` | the same; compare |
/// | | `compared` | other: `unread`; a copy: `finishing(.close)`, skip it; empty and deleted: `ended`, drop it |
/// | | `compared`: unreadable, `needed` | `ended`; put it back |
/// | `unread`: open, may have unread bytes | `read`: more, end | `unread`; `read`, store the position if lines were left out |
/// | | `read`: cut off | the same; go back to the stored lines |
/// | | `read`: replaced | `replaced`; start over |
/// | | `read`: failed | `finishing(.setAside)`; store the position. Without a name, the same for a minute |
/// | | `needed` | `finishing(.giveWay)`; store the position |
/// | `replaced`: open, truncated in place; a copy is looked for that is to be read on | `settled`, `needed` | `unread` |
/// | `read`: open, read to its end | `changed`, `found` under another name, `missing` | `unread` |
/// | | `looked`: a record waits for its next line for 5 s | `read`; end the record |
/// | | `looked`: compressed | `finishing(.close)`; end the last line, store the position |
/// | | `looked`: deleted, and no writer is left, or nothing was added for a minute | `finishing(.forget)`; end the last line |
/// | | `looked`: moved away, and nothing was added for a minute | `finishing(.leave)`; store the position, say what is left |
/// | | `looked`: rotated away, and nothing was added for a minute | `finishing(.close)`; store the position |
/// | | `needed` | `finishing(.giveWay)`; store the position |
/// | `finishing`: its last save is on its way | `saved` | `closed`; close, or set it aside. `ended`; drop it |
/// | | `changed`, `found` again | `unread`, unless it is forgotten, gives way or is set aside |
/// | `closed`: all of it was stored | `changed` | the same; scan |
/// | | `found` with another size or time | the same; open |
/// | | `opened` | `unread`, or `ended` if its inode is another file's; drop it |
/// | | `missing` | `ended`; drop it |
/// | each that is open | `failed` | `unread`; go back to the stored lines |
///
/// Any other event leaves the state as it is.
package struct FileState: Sendable, Hashable {
    package typealias Instant = ContinuousClock.Instant

    package enum Phase: Sendable, Hashable {
        case undecided
        /// Since when nothing was added to it, in this case and the next one.
        case unread(since: Instant)
        case replaced
        case read(since: Instant)
        case finishing(Finish)
        case closed
        case ended
    }

    package enum Finish: Sendable, Hashable {
        /// All of it is stored; it is opened again when it changes.
        case close
        /// The same, as its descriptor is needed for another file. A file that is written to all the time gives way too.
        case giveWay
        /// It cannot be read: its descriptor may be useless, as on a server that has started again.
        case setAside
        /// It was deleted.
        case forget
        /// It has a name that no pattern has. It may come back.
        case leave
    }

    /// The name that the last scan found it under.
    package enum Name: Sendable, Hashable {
        case plain, rotated, none
    }

    package enum Event: Sendable, Hashable {
        case changed
        case read(Reading)
        case compared(Comparison)
        case found(Name, differs: Bool)
        case missing
        /// No save is on its way; `isStored` says whether the store has a position of the file.
        case saved(isStored: Bool)
        case failed
        case opened(Bool)
        /// A scan found a copy of what it held before, or none.
        case settled
        /// Its descriptor is needed for another file.
        case needed
        /// Once a second at least, while it is not read.
        case looked(Look)
    }

    package enum Reading: Sendable, Hashable {
        case more(grew: Bool)
        /// `isAhead`: lines were refused or left out since the last save.
        case end(grew: Bool, isAhead: Bool)
        /// The bytes after the stored lines are not in the file any more.
        case cutOff
        /// The stored lines are not.
        case replaced
        case failed
    }

    package enum Comparison: Sendable, Hashable {
        /// It differs, or is read on where the original was.
        case other
        /// All of it was read from another file.
        case copy
        case undecided
        /// It was deleted before anything was written to it.
        case nothing
        /// It cannot be read.
        case failed
    }

    package struct Look: Sendable, Hashable {
        package var isDeleted = false
        package var hasGrown = false
        /// Nothing will be added to it: it is compressed.
        package var isComplete = false
        package var isWithinLine = false
        /// How long the record of complete lines waits for its next line; nil if there is no such record.
        package var recordWait: Duration?
        /// Of a deleted file.
        package var writers = FileFacts.Writers.unknown

        package init() {}
    }

    package enum Action: Sendable, Hashable {
        case scan, open, close, compare
        /// Stores the position behind all of it: it is a copy.
        case skip
        case storePosition(isFinished: Bool)
        /// Ends the record of several lines.
        case endRecord
        /// Ends the last line, although it lacks its end.
        case endLine
        /// Removes its position from the store.
        case forget(FileFacts.Writers)
        case tellLeft
        /// Goes back to the last stored line.
        case goBack
        /// Begins at byte 0.
        case startOver
        /// Ends the following.
        case drop
        /// Ends the following; a scan after a while begins it anew.
        case putBack
        /// Closes it, although it is not read to its end; a scan after a while opens it again.
        case setAside
    }

    package private(set) var phase: Phase
    package private(set) var name: Name

    /// How long a file without new bytes stays open that was rotated away, or deleted by who knows whom.
    package static let idleTime = Duration.seconds(60)

    package init(_ phase: Phase, name: Name) {
        (self.phase, self.name) = (phase, name)
    }

    // MARK: - questions

    package var isOpen: Bool {
        switch phase {
        case .undecided, .unread, .replaced, .read, .finishing: true
        case .closed, .ended: false
        }
    }

    package var mayHaveUnreadBytes: Bool { if case .unread = phase { true } else { false } }

    /// Whether it may be closed for a while.
    package var mayGiveWay: Bool { mayHaveUnreadBytes || phase == .replaced }

    package var isFinishing: Bool { if case .finishing = phase { true } else { false } }

    package var isRead: Bool { if case .read = phase { true } else { false } }

    /// Whether it is closed or decided as time passes, without an event.
    package var needsLook: Bool { phase == .undecided || (isRead && name != .plain) }

    /// Whether something is to come of it soon.
    package var isPending: Bool {
        switch phase {
        case .undecided, .replaced, .finishing: true
        case .unread, .read: name != .plain
        case .closed, .ended: false
        }
    }

    // MARK: - events

    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        let before = self
        defer { assert(before.phase != .ended || self == before, "an event revived a file") }
        switch phase {
        case .undecided: return undecided(event, at: now)
        case .unread(let since): return unread(event, since: since, at: now)
        case .replaced: return replaced(event, at: now)
        case .read(let since): return read(event, since: since, at: now)
        case .finishing(let finish): return finishing(event, to: finish, at: now)
        case .closed: return closed(event, at: now)
        case .ended: return []
        }
    }

    private mutating func undecided(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .changed, .looked: return [.compare]
        case .found(let name, _):
            self.name = name
            return []
        case .missing:
            name = .none
            return [.compare]
        case .compared(.other): phase = .unread(since: now)
        case .compared(.copy):
            phase = .finishing(.close)
            return [.skip]
        case .compared(.nothing):
            phase = .ended
            return [.drop]
        case .compared(.failed), .needed:
            phase = .ended
            return [.putBack]
        case .compared(.undecided), .read, .saved, .failed, .opened, .settled: break
        }
        return []
    }

    private mutating func unread(_ event: Event, since: Instant, at now: Instant) -> [Action] {
        switch event {
        case .read(.more(let grew)): phase = .unread(since: grew ? now : since)
        case .read(.end(let grew, let isAhead)):
            phase = .read(since: grew ? now : since)
            return isAhead ? [.storePosition(isFinished: false)] : []
        case .read(.cutOff): return [.goBack]
        case .read(.replaced):
            phase = .replaced
            return [.startOver]
        // It could not be opened again.
        case .read(.failed) where name == .none && now - since < Self.idleTime: break
        case .read(.failed):
            phase = .finishing(.setAside)
            return [.storePosition(isFinished: false)]
        case .found(let name, _): self.name = name
        case .missing: miss(now)
        case .saved(isStored: false): return [.storePosition(isFinished: false)]
        case .failed: return goBack(now)
        case .needed:
            phase = .finishing(.giveWay)
            return [.storePosition(isFinished: false)]
        case .changed, .saved, .compared, .opened, .looked, .settled: break
        }
        return []
    }

    private mutating func replaced(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .settled, .needed: phase = .unread(since: now)
        case .found(let name, _): self.name = name
        case .missing: name = .none
        case .changed, .read, .saved, .failed, .compared, .opened, .looked: break
        }
        return []
    }

    private mutating func read(_ event: Event, since: Instant, at now: Instant) -> [Action] {
        switch event {
        case .changed: phase = .unread(since: since)
        case .found(let name, _):
            if name != self.name { phase = .unread(since: since) }
            self.name = name
        case .missing:
            if name != .none { phase = .unread(since: now) }
            miss(now)
        case .saved(isStored: false): return [.storePosition(isFinished: false)]
        case .failed: return goBack(now)
        case .needed:
            phase = .finishing(.giveWay)
            return [.storePosition(isFinished: false)]
        case .looked(let look): return looked(look, since: since, at: now)
        case .read, .saved, .compared, .opened, .settled: break
        }
        return []
    }

    /// A file that is read to its end: whether it is to be closed.
    private mutating func looked(_ look: Look, since: Instant, at now: Instant) -> [Action] {
        let idle = now - since
        let ended: [Action] = look.recordWait.map { idle >= $0 } == true ? [.endRecord] : []
        let mayGrow = look.isDeleted && look.writers != .unknown ? look.writers == .some : idle < Self.idleTime
        if look.isComplete {
            phase = .finishing(.close)
            return ended + [.endLine, .storePosition(isFinished: true)]
        }
        guard name != .plain, !mayGrow else { return ended }
        guard !look.hasGrown else {
            phase = .unread(since: since)
            return ended
        }
        if look.isDeleted {
            phase = .finishing(.forget)
            return ended + [.endLine, .forget(look.writers)]
        }
        if name == .none {
            phase = .finishing(.leave)
            // It may come back with the rest of a line.
            return ended + [.storePosition(isFinished: true), .tellLeft]
        }
        guard !look.isWithinLine, look.recordWait == nil else { return ended }
        phase = .finishing(.close)
        return [.storePosition(isFinished: true)]
    }

    private mutating func finishing(_ event: Event, to finish: Finish, at now: Instant) -> [Action] {
        switch (event, finish) {
        case (.saved, .close), (.saved, .giveWay):
            phase = .closed
            return [.close]
        case (.saved, .setAside):
            phase = .closed
            return [.setAside]
        case (.saved, .forget), (.saved, .leave):
            phase = .ended
            return [.drop]
        case (.failed, _): return goBack(now)
        case (.changed, .close), (.changed, .leave): phase = .unread(since: now)
        case (.found(let name, _), _):
            self.name = name
            if finish == .leave { phase = .unread(since: now) }
        case (.missing, _): name = .none
        case (.changed, _), (.read, _), (.compared, _), (.opened, _), (.needed, _), (.looked, _), (.settled, _): break
        }
        return []
    }

    private mutating func closed(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .changed: return [.scan]
        case .found(let name, let differs):
            self.name = name
            return differs ? [.open] : []
        case .opened(true):
            phase = .unread(since: now)
            return []
        case .opened(false):
            phase = .ended
            return [.drop, .scan]
        case .missing:
            name = .none
            phase = .ended
            return [.drop]
        case .read, .compared, .saved, .failed, .needed, .looked, .settled: return []
        }
    }

    /// It is gone from its directory; a program may still write to it.
    private mutating func miss(_ now: Instant) {
        guard name != .none else { return }
        name = .none
        if case .unread = phase { phase = .unread(since: now) }
    }

    private mutating func goBack(_ now: Instant) -> [Action] {
        phase = .unread(since: now)
        return [.goBack]
    }
}
