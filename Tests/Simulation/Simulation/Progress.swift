import RecorderStore
import SimulatedMachine

/// The laws of delays and of work without progress, and of stores besides Kinesis's.
extension Laws {
    /// A record arrives for the first time.
    func checkDelay(of entry: Ledger.Entry) {
        guard let bound = profile.delay, Ledger.isEnding.value == 0, entry.state == .saved else { return }
        let delay = (Int(machine_now()) - entry.answeredAt) / 1_000_000_000
        if delay > bound { Ledger.violate("nothing delays what can be delivered", entry.number, delay) }
    }

    /// What must have arrived by now, although other streams cannot be sent to.
    func checkDelays() {
        for entry in Ledger.entries where entry.arrivals.value == 0 && !Ledger.isGone(entry.stream) {
            checkDelay(of: entry)
        }
    }

    /// How many records of each life did not arrive.
    func tellMissing() {
        for store in Store.allCases {
            var counts: [Int: Int] = [:]
            for entry in Ledger.entries
            where entry.store == store && entry.state == .saved && entry.arrivals.value == 0
                && !Ledger.isGone(entry.stream)
            {
                counts[entry.life, default: 0] += 1
            }
            for (life, count) in counts.sorted(by: { $0.key < $1.key }) {
                machine_tell("of \(store) did not arrive", Int64(life), Int64(count))
            }
        }
    }

    /// Whether nothing that was saved is in a store: then it need not be opened.
    static func isUnused(_ store: Store) -> Bool {
        !Ledger.entries.contains { $0.store == store && $0.state == .saved }
    }

    /// Once the faults are over, neither requests nor calls of the disk go on without progress.
    func checkWork() {
        let seconds = (Int(machine_now()) - Ledger.healed.time.value) / 1_000_000_000
        let requests = Ledger.requests.value - Ledger.healed.requests.value
        let calls = Int(machine_disk_calls()) - Ledger.healed.calls.value
        let left = Ledger.healed.left.value
        let rounds = (seconds + 5) * (processes + Store.allCases.count)
        machine_tell("requests at the end", Int64(requests), Int64(left))
        machine_tell("calls of the disk at the end", Int64(calls), Int64(seconds))
        let mostRequests = 60 + 4 * left + 4 * rounds * streams
        if requests > mostRequests { Ledger.violate("requests make progress", requests, mostRequests) }
        let mostCalls = 4_000 + 200 * left + 400 * rounds
        if calls > mostCalls { Ledger.violate("calls of the disk make progress", calls, mostCalls) }
    }

    /// What a store says of itself when all is over.
    func look(into store: Store) {
        do throws(RecorderError) {
            let status = try StoreView(at: store.location).status()
            let totals = status.totals
            Ledger.stored.value += totals.records
            Ledger.discarded.value += totals.discarded
            Ledger.discarded(by: .rejected).value += totals.rejected
            Ledger.delivered.value += totals.delivered
            Ledger.cleared.value += totals.cleared
            if totals.saved != totals.records + totals.delivered + totals.discarded + totals.cleared {
                Ledger.violate("the store's counts agree", totals.saved, totals.records)
            }
            // A request that trickles into the end may have kept each flush from its own; a recorder's look sends once more.
            for stream in status.streams where stream.isUnexplained && !profile.badService {
                Ledger.violate("the status says why records are left", stream.number, stream.records)
            }
            machine_tell("totals", Int64(totals.records), Int64(totals.delivered))
        } catch {
            machine_tell("the store cannot be read: \(error)", 0, 0)
            // A drained one gave its space back; on a full disk others may have it, and there is none to look into it.
            let isDrained = !Ledger.entries.contains {
                $0.store == store && $0.state == .saved && $0.arrivals.value == 0
            }
            if !profile.fullDisk || !isDrained { Ledger.violate("the store can be read at the end", store.rawValue) }
        }
    }
}
