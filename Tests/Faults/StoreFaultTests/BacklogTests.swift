import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Ten million unsent records after a restart, none of them in memory.
    @Suite struct Backlog {
        private struct Times {
            var open = Duration.zero
            var save = Duration.zero
            var totals = Duration.zero
            var firstBatch = Duration.zero
            var batch = Duration.zero
        }

        @Test func `a store with ten million records opens, saves and sends a batch as fast as a small one`()
            async throws
        {
            guard isFull else { return }
            let requested = ProcessInfo.processInfo.environment["BACKLOG"].flatMap { Int($0) }
            let records = requested ?? 10_000_000
            let directory = try TemporaryDirectory()
            guard try space(in: directory) > records * 400 else {
                return print("R27 skipped: \(directory.path) has no room for \(records) records.")
            }
            let server = try RecordingServer()
            let (short, long) = (directory.path("short"), directory.path("long"))
            try await fill(short, 1_000)
            let filling = try await elapsed { try await fill(long, records) }
            let few = try await times(short, server)
            let many = try await times(long, server)
            report(
                "R27 backlog:",
                [
                    "records": records, "bytes": size(of: "\(long)/kinesis.db"), "filled in": filling,
                    "open": many.open, "first save": many.save, "totals": many.totals, "first batch": many.firstBatch,
                    "batch": many.batch, "of 1,000": few,
                ]
            )
            #expect(many.open + many.save < .milliseconds(500))
            #expect(many.totals < .milliseconds(5))
            #expect(many.batch < few.batch * 2 + .milliseconds(20))
            let left = try PipelineHarness(in: long, to: nil).pipeline.totals()
            #expect(left.records == records + 1 - left.delivered && left.saved == records + 1)
        }

        /// Saves `records` records of 100 bytes, a thousand at a time.
        private func fill(_ path: String, _ records: Int) async throws {
            let store = try PipelineHarness(in: path, to: nil)
            let text = String(repeating: "x", count: 90)
            for start in stride(from: 0, to: records, by: 1_000) {
                try await withThrowingDiscardingTaskGroup { group in
                    for number in start..<min(start + 1_000, records) {
                        group.addTask { try await store.save("\(number) \(text)") }
                    }
                }
            }
        }

        /// Opens a store whose pages are not in the page cache.
        private func times(_ path: String, _ server: RecordingServer) async throws -> Times {
            for name in ["kinesis.db", "kinesis.db-wal"] {
                let file = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
                fsync(file)
                posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
                close(file)
            }
            let store = try PipelineHarness(in: path, to: server.url)
            store.pipeline.configure { $0.batchesPerStream = 1 }
            var times = Times()
            times.open = try await elapsed { _ = try store.pipeline.totals() }
            times.save = try await elapsed { try await store.save("one more") }
            times.totals = try await elapsed { _ = try store.pipeline.totals() }
            times.firstBatch = try await elapsed { _ = try await store.pipeline.flushIfFree() }
            times.batch = try await elapsed { _ = try await store.pipeline.flushIfFree() }
            return times
        }

        private func elapsed(_ work: () async throws -> Void) async rethrows -> Duration {
            let start = ContinuousClock.now
            try await work()
            return ContinuousClock.now - start
        }

        private func space(in directory: TemporaryDirectory) throws -> Int {
            let attributes = try FileManager.default.attributesOfFileSystem(forPath: directory.path)
            return (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? 0
        }
    }
}
