import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Synchronization

private final class Tally: Sendable {
    let isSaving = Atomic(true)
    let acknowledged = Atomic(0)
}

extension StoreChild {
    /// Saves 2,000 numbered records a second for `count` seconds while a loop submits; then delivers the rest, and
    /// writes the number of acknowledged records to the journal.
    func soak() async {
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while tally.isSaving.load(ordering: .relaxed) {
                    // Records that the service refuses stay for the next round.
                    _ = try? await store.flush()
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
            let clock = ContinuousClock()
            let start = clock.now
            for tick in 0..<count * 100 {
                try? await clock.sleep(until: start + .milliseconds(tick * 10))
                for number in tick * 20..<tick * 20 + 20 {
                    let text = "\(number) " + String(repeating: "x", count: 50 + number % 300)
                    let data = Data(text.utf8)
                    store.pipeline.save(data, stream: "s\(number % 3)", partitionKey: nil) { result in
                        switch result {
                        case .success: tally.acknowledged.add(1, ordering: .relaxed)
                        case .failure(let error): journal.failed(error)
                        }
                    }
                }
            }
            tally.isSaving.store(false, ordering: .relaxed)
        }
        while let left = try? store.pipeline.totals().records, left > 0 { _ = try? await store.flush() }
        journal.note("\(tally.acknowledged.load(ordering: .relaxed))")
    }

    /// Exits the program in the middle of a submit, once the file `<journal>.leave` exists.
    func leave() async {
        try? await store.save(name)
        store.pipeline.flush { _ in }
        await waitForFile("leave")
        exit(3)
    }

    /// Returns once the test has made the file `<journal>.<name>`.
    func waitForFile(_ name: String) async {
        while access("\(journal.path).\(name)", F_OK) != 0 { try? await Task.sleep(for: .milliseconds(5)) }
    }
}
