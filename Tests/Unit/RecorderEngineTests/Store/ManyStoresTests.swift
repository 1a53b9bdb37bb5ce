import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// A program may have a recorder for each of its tenants or devices.
@Suite(.timeLimit(.minutes(10))) struct ManyStoresTests {
    /// In a separate process, which has no other stores.
    @Test func `three hundred stores have at most two threads and three descriptors each`() async {
        await #expect(processExitsWith: .success) {
            let harnesses = try (0..<300).map { _ in try PipelineHarness() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for harness in harnesses {
                    group.addTask { for number in 0..<3 { try await harness.save("\(number)") } }
                }
                try await group.waitForAll()
            }
            let threads = ProcessCounts.storeThreads
            #expect(threads > 0)
            for harness in harnesses { #expect(try harness.records() == 3) }
            let descriptors = ProcessCounts.databaseDescriptors
            #expect(threads <= 2 * harnesses.count, "\(threads) threads")
            // Some may be working at this moment, with their lock open.
            #expect(descriptors <= 3 * harnesses.count + 60, "\(descriptors) descriptors")
        }
    }

    /// A submit's files are closed when its threads end, some seconds later.
    @Test func `stores that were submitted keep at most three descriptors each once they are idle`() async {
        await #expect(processExitsWith: .success) {
            let server = try LocalServer { request, _ in .kinesis(request) }
            let harnesses = try (0..<10).map { _ in try PipelineHarness(to: server) }
            for harness in harnesses {
                try await harness.save("a")
                #expect(try await harness.flush().delivered == 1)
                _ = try harness.pipeline.status()
            }
            while ProcessCounts.storeThreads > 0 { try await Task.sleep(for: .milliseconds(50)) }
            let descriptors = ProcessCounts.databaseDescriptors
            #expect(descriptors <= 3 * harnesses.count, "\(descriptors) descriptors")
            for harness in harnesses {
                try await harness.save("b")
                #expect(try await harness.flush().delivered == 1)
                #expect(try harness.pipeline.totals().delivered == 2)
            }
        }
    }
}

/// Counts of this process, from the kernel.
private enum ProcessCounts {
    static var storeThreads: Int {
        names(in: "/proc/self/task").count { thread in
            let name = try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
            return name?.hasPrefix("recorder-store") == true
        }
    }

    /// Databases, their logs, shared memory and locks.
    static var databaseDescriptors: Int {
        names(in: "/proc/self/fd").count { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return target?.contains(".db") == true
        }
    }

    private static func names(in directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }
}
