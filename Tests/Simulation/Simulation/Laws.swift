import Glibc
import RecorderStore
import SimulatedMachine

/// What must hold while a world goes on, and when it is over.
struct Laws {
    let profile: Profile
    let settings: Settings
    let processes: Int
    let streams: Int

    // MARK: while it goes on

    /// A program is told of a discard.
    func discarded(_ discard: Discard) {
        let loss = Ledger.Loss(discard.reason)
        let told = Ledger.reported(by: loss)
        told.value += discard.count
        machine_tell("discarded", Int64(loss.rawValue), Int64(discard.count))
        switch loss {
        case .evicted: break
        case .expired:
            let latest = Int(machine_now()) - Int(settings.age / .nanoseconds(1))
            let old = Ledger.entries.count { $0.calledAt <= latest }
            if told.value > old { Ledger.violate("no record expires before its time", told.value, old) }
        case .rejected:
            checkRejected(told.value)
        case .exhausted:
            let failed = Ledger.entries.count { $0.failures.value >= settings.mostFailures ?? .max }
            if told.value > failed {
                Ledger.violate("a record is discarded after so many failures", told.value, failed)
            }
        }
    }

    /// A save has its answer.
    func saved(_ entry: Ledger.Entry, fails: Bool) {
        let seconds = (Int(machine_now()) - entry.calledAt) / 1_000_000_000
        let process = Ledger.process(of: entry.life).value
        guard !profile.threads, !profile.slowSyncs, process > 0, machine_stall_end(Int32(process)) < entry.calledAt
        else { return }
        // It waits for ten seconds, and for an operation before it that does the same.
        if seconds > 25 { Ledger.violate("a save is answered in time", entry.number, seconds) }
        let mayFailAtOnce =
            profile.fullDisk || profile.diskErrors || profile.readOnly || settings.overflow != .evicts
            || entry.isInSequence
        if fails, seconds < 9, !mayFailAtOnce {
            Ledger.violate("a save waits as long as it may", entry.number, seconds)
        }
    }

    // MARK: when it is over

    func check(isDrained: Bool) {
        checkRecords()
        checkSequences()
        if profile.shares { checkShares() }
        if Ledger.rescues.value > 0, !profile.liesAboutSyncs {
            Ledger.violate("no store is damaged on a disk that syncs", Ledger.rescues.value)
        }
        for store in Store.allCases where isDrained && !Self.isUnused(store) {
            let open = Int(machine_count_open_to_others(store.path))
            if open > 0 { Ledger.violate("no other user may read a store", store.rawValue, open) }
        }
        guard isDrained, Ledger.isRestored.value == 0 else { return }
        checkCounts()
        if settings.expires, Ledger.stored.value > 0 {
            Ledger.violate("what is too old leaves at a flush", Ledger.stored.value)
        }
    }

    private func checkRecords() {
        var keys: [Int: Int] = [:]
        for entry in Ledger.entries {
            if entry.state == .failed, !mayFail { Ledger.violate("a save succeeds where nothing fails", entry.number) }
            guard !settings.keepsOrder, entry.arrivals.value > 0, entry.key.value != 0 else { continue }
            if let other = keys[entry.key.value] { Ledger.violate("no key names two records", other, entry.number) }
            keys[entry.key.value] = entry.number
        }
    }

    private var mayFail: Bool {
        profile.fullDisk || profile.diskErrors || profile.threads || profile.stalls || settings.overflow != .evicts
            || profile.slowSyncs || profile.readOnly
    }

    /// Of saves that depend on each other, none is stored after one that failed.
    private func checkSequences() {
        var failed: [Int: Int] = [:]
        for entry in Ledger.entries where entry.isInSequence {
            if entry.state == .failed { failed[entry.life] = failed[entry.life] ?? entry.number }
            if entry.state == .saved, let first = failed[entry.life] {
                Ledger.violate("no save of a sequence is stored after one that failed", first, entry.number)
            }
        }
    }

    /// A stream that never takes more than its share of the store loses nothing to the others, and is refused nothing.
    private func checkShares() {
        guard let limit = settings.bytes else { return }
        for stream in 0..<streams where !Ledger.isGone(stream) {
            let entries = Ledger.entries.filter { $0.stream == stream }
            guard entries.reduce(0, { $0 + $1.bytes + Ledger.Entry.overhead }) <= limit / streams else { continue }
            // One that fails because of an earlier one is refused nothing.
            let lost = entries.filter {
                $0.state == .failed && !$0.isInSequence || $0.state == .saved && $0.arrivals.value == 0
            }
            for entry in lost {
                Ledger.violate("a stream within its share loses nothing", stream, entry.number)
            }
        }
    }

    private func checkCounts() {
        let missed = Ledger.entries.filter {
            $0.state == .saved && $0.arrivals.value == 0 && !Ledger.isGone($0.stream)
                && $0.calledAt > Ledger.removedAt.value
        }
        let missing = missed.count
        tellMissing()
        let mayMiss = Ledger.discarded.value + Ledger.cleared.value
        if missing > mayMiss { Ledger.violate("what was saved arrives", missing, mayMiss) }
        let valid = profile.badService ? missed.count { !$0.mayBeRejected } : 0
        let mayMissValid = mayMiss - Ledger.discarded(by: .rejected).value
        if valid > mayMissValid {
            Ledger.violate("only what the service calls invalid is rejected", valid, mayMissValid)
        }
        guard Ledger.removedAt.value == 0 else { return }
        let arrived = Ledger.entries.count { $0.arrivals.value > 0 }
        if Ledger.delivered.value > arrived {
            Ledger.violate("nothing counts as delivered that did not arrive", arrived, Ledger.delivered.value)
        }
        checkRejected(Ledger.discarded(by: .rejected).value)
        guard !profile.kills, !profile.powerCuts, !profile.diskErrors, !profile.hasOtherPrograms else { return }
        if !profile.network, !profile.stalls, !profile.fullDisk, !profile.threads, arrived != Ledger.delivered.value {
            Ledger.violate("what arrived counts as delivered", arrived, Ledger.delivered.value)
        }
        for loss in Ledger.Loss.allCases { checkReports(of: loss) }
    }

    /// What others can write is refused, and a link that is changed is noticed. Spoils the store.
    func checkPlaces() {
        func isOpened() -> Bool { (try? RecordStore { Store.kinesis.location }.totals()) != nil }
        guard !profile.fullDisk, isOpened() else { return }
        let start = ProcessStart(life: 0, records: 0, laws: self)
        if !RecorderProcess(.submitter, start, directory: Store.link).followsLink() {
            Ledger.violate("what is saved is where a link leads", 0)
        }
        chmod(Store.directory, 0o777)
        if isOpened() { Ledger.violate("a directory that others can write is refused", 0) }
        chmod(Store.directory, 0o700)
        machine_give_away("\(Store.kinesis.path).lock")
        if isOpened() { Ledger.violate("a file of another user is refused", 0) }
    }

    private func checkRejected(_ count: Int) {
        let invalid = profile.badService ? Ledger.entries.count(where: \.mayBeRejected) : 0
        if count > invalid {
            Ledger.violate("nothing is rejected that the service did not call invalid", count, invalid)
        }
    }

    /// What was discarded was reported. If another process had it on its way, it may have been delivered in the end.
    private func checkReports(of loss: Ledger.Loss) {
        let (told, counted) = (Ledger.reported(by: loss).value, Ledger.discarded(by: loss).value)
        if told < counted || processes == 1 && told > counted {
            Ledger.violate("what was discarded is reported", told, counted)
        }
    }
}

extension Ledger.Loss {
    fileprivate init(_ reason: Discard.Reason) {
        self =
            switch reason {
            case .byteLimit: .evicted
            case .ageLimit: .expired
            case .rejected: .rejected
            case .retriesExhausted: .exhausted
            }
    }
}
