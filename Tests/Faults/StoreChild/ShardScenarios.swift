import Foundation
import RecorderEngine
package import RecorderStore
import RecorderTestSupport

/// Scenarios of stores that send to an emulated stream.
extension StoreChild {
    /// `count` recorders, each with a store and a backlog of its own, that all begin to submit within a second once the file
    /// `<journal>.start` exists. The option is the number of records of each. Records are `<recorder> <number>`.
    func herd() async throws {
        let backlog = options.first.flatMap { Int($0) } ?? 0
        let stores = try (0..<count).map { number in
            try PipelineHarness(in: "\(directory)/\(name)-\(number)", to: url, usesRealPauses: true)
        }
        for (number, store) in stores.enumerated() {
            try await store.saveAll((0..<backlog).map { "\(name)-\(number) \($0)" })
        }
        journal.note("ready")
        await waitForFile("start")
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(Int.random(in: 0..<1_000)))
                    while let left = try? store.records(), left > 0 {
                        guard let report = try? await store.flush() else { continue }
                        for failure in report.failures { journal.failed(failure.error) }
                    }
                    journal.note("done \((ContinuousClock.now - start) / .seconds(1))")
                }
            }
        }
    }

    /// Submits again and again, as the options say, until the process is killed, or the store is empty and the file
    /// `<journal>.saved` exists.
    func keepSubmitting() async throws {
        store.pipeline.configure { $0.apply(options) }
        while true {
            let isComplete = access("\(journal.path).saved", F_OK) == 0
            await submit()
            guard let left = try? store.records(), left == 0 else { continue }
            if isComplete { return }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}

extension RecorderPolicy {
    /// Options of a scenario: `ordered`, `shared` (small entries, so that a batch has many), `parallel` (four requests at a time).
    package mutating func apply(_ options: [String]) {
        for option in options {
            switch option {
            case "ordered": keepsOrder = true
            case "shared": sharedEntryBytes = 150
            case "parallel": requestsPerStream = 4
            default: fatalError("no option \(option)")
            }
        }
    }
}
