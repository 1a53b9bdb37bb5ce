import FileFollowing
import Testing

/// What becomes of a followed file, for every state and every event.
@Suite struct FileStateTests {
    private let start = ContinuousClock.now

    private var phases: [FileState.Phase] {
        [
            .undecided, .unread(since: start), .replaced, .read(since: start), .finishing(.close), .finishing(.giveWay),
            .finishing(.setAside), .finishing(.forget), .finishing(.leave), .closed, .ended,
        ]
    }

    private var looks: [FileState.Look] {
        var looks: [FileState.Look] = []
        for bits in 0..<32 {
            for writers in [FileFacts.Writers.some, .none, .unknown] {
                var look = FileState.Look()
                (look.isDeleted, look.hasGrown) = (bits & 1 != 0, bits & 2 != 0)
                look.isWithinLine = bits & 4 != 0
                look.isComplete = bits & 16 != 0
                look.recordWait = bits & 8 != 0 ? .seconds(5) : nil
                look.writers = writers
                looks.append(look)
            }
        }
        return looks
    }

    private var events: [FileState.Event] {
        let names: [FileState.Name] = [.plain, .rotated, .none]
        let readings: [FileState.Reading] =
            [.cutOff, .replaced, .failed] + [true, false].map { .more(grew: $0) }
            + [true, false].flatMap { grew in [true, false].map { .end(grew: grew, isAhead: $0) } }
        let comparisons: [FileState.Comparison] = [.other, .copy, .undecided, .nothing, .failed]
        return [.changed, .missing, .failed, .needed, .settled, .saved(isStored: true), .saved(isStored: false)]
            + [.opened(true), .opened(false)] + readings.map { .read($0) } + comparisons.map { .compared($0) }
            + names.flatMap { name in [true, false].map { .found(name, differs: $0) } } + looks.map { .looked($0) }
    }

    private struct Step {
        let before: FileState
        let event: FileState.Event
        let idle: Duration
        let after: FileState
        let actions: [FileState.Action]
    }

    /// Every state under every name, with every event, at once and after a while.
    private var steps: [Step] {
        var steps: [Step] = []
        for phase in phases {
            for name in [FileState.Name.plain, .rotated, .none] {
                for event in events {
                    for idle in [Duration.zero, .seconds(5), .seconds(59), FileState.idleTime] {
                        let before = FileState(phase, name: name)
                        var after = before
                        let actions = after.handle(event, at: start + idle)
                        steps.append(Step(before: before, event: event, idle: idle, after: after, actions: actions))
                    }
                }
            }
        }
        return steps
    }

    private func isOpen(_ state: FileState) -> Bool { state.phase != .closed && state.phase != .ended }

    @Test func `a file is dropped as its state ends, closed as its state says so, and not revived`() {
        for step in steps {
            let (before, after) = (step.before.phase, step.after.phase)
            let isDropped = step.actions.contains(.drop) || step.actions.contains(.putBack)
            #expect(isDropped == (before != .ended && after == .ended), "\(step)")
            let isClosed = step.actions.contains(.close) || step.actions.contains(.setAside)
            #expect(isClosed == (before != .closed && after == .closed), "\(step)")
            if before == .ended { #expect(after == .ended && step.actions.isEmpty, "\(step)") }
            if isClosed {
                #expect(step.event == .saved(isStored: true) || step.event == .saved(isStored: false))
            }
            if !isOpen(step.before), isOpen(step.after) { #expect(step.event == .opened(true), "\(step)") }
        }
    }

    @Test
    func
        `a file is read no more only if all its bytes are read, and it has lost its name or is complete, or its descriptor is needed`()
    {
        for step in steps {
            guard case .finishing = step.after.phase, case .read = step.before.phase else { continue }
            if step.event == .needed { continue }
            guard case .looked(let look) = step.event else {
                Issue.record("\(step)")
                continue
            }
            if look.isComplete { continue }
            #expect(!look.hasGrown && step.before.name != .plain, "\(step)")
            let isLeft = look.isDeleted && look.writers == .none
            #expect(isLeft || step.idle >= FileState.idleTime, "\(step)")
            if look.isDeleted { #expect(look.writers != .some, "\(step)") }
        }
    }

    @Test func `a deleted file is read while a writer is left, for a minute if that is unknown`() {
        var look = FileState.Look()
        look.isDeleted = true
        for (writers, idle, ends) in [
            (FileFacts.Writers.some, 3_600, false), (.none, 0, true), (.unknown, 59, false), (.unknown, 60, true),
        ] {
            look.writers = writers
            var state = FileState(.read(since: start), name: .none)
            let actions = state.handle(.looked(look), at: start + .seconds(idle))
            #expect(actions == (ends ? [.endLine, .forget(writers)] : []))
            #expect(state.phase == (ends ? .finishing(.forget) : .read(since: start)))
        }
    }

    @Test func `a position is forgotten only of a deleted file, and lines end only with a file that is gone`() {
        for step in steps {
            for action in step.actions {
                guard case .looked(let look) = step.event else {
                    #expect(![.endLine, .endRecord, .tellLeft].contains(action), "\(step)")
                    continue
                }
                if case .forget = action { #expect(look.isDeleted, "\(step)") }
                if action == .endLine { #expect(look.isComplete || look.isDeleted, "\(step)") }
                if action == .endRecord { #expect(look.recordWait != nil && step.idle >= .seconds(5), "\(step)") }
            }
        }
    }

    @Test func `after a failed save an open file is read again from what is stored`() {
        for step in steps where step.event == .failed && isOpen(step.before) {
            // Of these, nothing is on its way.
            if step.before.phase == .undecided || step.before.phase == .replaced { continue }
            #expect(step.after.phase == .unread(since: start + step.idle) && step.actions == [.goBack], "\(step)")
        }
    }

    /// One representative of each kind of event; the rows of the table at the top of `FileState.swift`.
    @Test func `each state has an outcome for each event`() {
        var deleted = FileState.Look()
        (deleted.isDeleted, deleted.writers) = (true, .none)
        let events: [(String, FileState.Event)] = [
            ("changed", .changed), ("more", .read(.more(grew: true))),
            ("end", .read(.end(grew: true, isAhead: true))), ("cutOff", .read(.cutOff)),
            ("replaced", .read(.replaced)), ("unreadable", .read(.failed)), ("other", .compared(.other)),
            ("copy", .compared(.copy)), ("open", .compared(.undecided)), ("nothing", .compared(.nothing)),
            ("uncompared", .compared(.failed)),
            ("found", .found(.rotated, differs: true)), ("missing", .missing), ("saved", .saved(isStored: true)),
            ("failed", .failed), ("opened", .opened(true)), ("replaced inode", .opened(false)), ("needed", .needed),
            ("settled", .settled),
            ("looked", .looked(deleted)),
        ]
        var table: [String: [String]] = [:]
        for phase in phases {
            for (name, event) in events {
                var state = FileState(phase, name: .plain)
                let actions = state.handle(event, at: start)
                guard state.phase != phase || !actions.isEmpty else { continue }
                let outcome = ([word(state.phase)] + actions.map { "\($0)".prefix { $0 != "(" }.description })
                table[word(phase), default: []].append("\(name): \(outcome.joined(separator: " "))")
            }
        }
        #expect(table == Self.table)
    }

    private func word(_ phase: FileState.Phase) -> String {
        switch phase {
        case .unread: "unread"
        case .read: "read"
        case .finishing(let finish): "\(finish)"
        default: "\(phase)"
        }
    }

    private static let table = [
        "undecided": [
            "changed: undecided compare", "other: unread", "copy: close skip", "nothing: ended drop",
            "uncompared: ended putBack", "missing: undecided compare", "needed: ended putBack",
            "looked: undecided compare",
        ],
        "unread": [
            "end: read storePosition", "cutOff: unread goBack", "replaced: replaced startOver",
            "unreadable: setAside storePosition", "failed: unread goBack",
            "needed: giveWay storePosition",
        ],
        "replaced": ["needed: unread", "settled: unread"],
        "read": [
            "changed: unread", "found: unread", "missing: unread", "failed: unread goBack",
            "needed: giveWay storePosition",
        ],
        "close": ["changed: unread", "saved: closed close", "failed: unread goBack"],
        "giveWay": ["saved: closed close", "failed: unread goBack"],
        "setAside": ["saved: closed setAside", "failed: unread goBack"],
        "forget": ["saved: ended drop", "failed: unread goBack"],
        "leave": ["changed: unread", "found: unread", "saved: ended drop", "failed: unread goBack"],
        "closed": [
            "changed: closed scan", "found: closed open", "missing: ended drop", "opened: unread",
            "replaced inode: ended drop scan",
        ],
    ]
}
