import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// Saves that arrive faster than they can be stored: each is answered within its timeout, and memory is bounded.
@Suite struct SaveQueueTests {
    /// Holds the lock between processes, as another process would.
    private final class Holder {
        private let file: Int32

        init(_ harness: PipelineHarness) throws {
            file = open(harness.path + ".lock", O_RDWR)
            try #require(flock(file, LOCK_EX) == 0)
        }

        func release() { flock(file, LOCK_UN) }

        deinit { close(file) }
    }

    private final class Answers: Sendable {
        let all = Locked<[Result<Void, RecorderError>]>([])
        let done = DispatchSemaphore(value: 0)

        func add(_ result: Result<Void, RecorderError>) {
            all.withLock { $0.append(result) }
            done.signal()
        }

        /// Waits for this many.
        func wait(for count: Int) { for _ in 0..<count { done.wait() } }

        var failures: [String] {
            all.withLock { $0 }.compactMap { if case .failure(let error) = $0 { error.message } else { nil } }
        }
    }

    private func onThread(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread {
                work()
                continuation.resume()
            }.start()
        }
    }

    @Test func `while a lock stays held, each save has its own timeout, not one group after another`()
        async throws
    {
        let timeout = Duration.seconds(1)
        let harness = try PipelineHarness { $0.saveTimeout = timeout }
        try await harness.save("before")
        let holder = try Holder(harness)
        let answers = Answers()
        let start = ContinuousClock.now
        // Enough for fifty commits.
        let payload = Data(count: 200_000)
        for _ in 0..<250 {
            harness.pipeline.save(payload, stream: "s", partitionKey: nil) { answers.add($0) }
        }
        await onThread { answers.wait(for: 250) }
        let waited = ContinuousClock.now - start
        holder.release()
        #expect(answers.failures.count == 250 && answers.failures.allSatisfy { $0.contains("Another process") })
        // One group after another would take fifty times as long.
        #expect(waited >= timeout && waited < timeout * 40)
        try await harness.save("after")
        #expect(try harness.storedTexts() == ["before", "after"])
    }

    @Test func `a save waits for room in a full queue until its timeout, and then fails with the reason`() async throws
    {
        let harness = try PipelineHarness {
            $0.saveQueueBytes = 1_000_000
            $0.saveTimeout = .seconds(300)
        }
        try await harness.save("before")
        let holder = try Holder(harness)
        let (early, late) = (Answers(), Answers())
        for _ in 0..<4 {
            harness.pipeline.save(Data(count: 200_000), stream: "s", partitionKey: nil) { early.add($0) }
        }
        harness.pipeline.configure { $0.saveTimeout = .milliseconds(200) }
        let start = ContinuousClock.now
        await onThread {
            harness.pipeline.save(Data(count: 200_000), stream: "s", partitionKey: nil) { late.add($0) }
            late.wait(for: 1)
        }
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        #expect(late.failures.first?.contains("800400 bytes of earlier saves") == true, "\(late.failures)")
        holder.release()
        await onThread { early.wait(for: 4) }
        #expect(try harness.records() == 5 && early.failures.isEmpty)
    }

    @Test func `saves that are faster than the disk are slowed down, succeed, and keep their order`() async throws {
        let harness = try PipelineHarness {
            $0.limits.bytes = 0
            $0.saveQueueBytes = 100_000
        }
        try await harness.save("before")
        let holder = try Holder(harness)
        let answers = Answers()
        async let saved: Void = onThread {
            for number in 0..<200 {
                let text = "\(number) " + String(repeating: "x", count: 10_000)
                harness.pipeline.save(Data(text.utf8), stream: "s", partitionKey: nil) { answers.add($0) }
            }
        }
        holder.release()
        await saved
        await onThread { answers.wait(for: 200) }
        #expect(answers.failures.isEmpty)
        let numbers = try harness.storedTexts().dropFirst().map { Int($0.prefix { $0 != " " }) }
        #expect(numbers == Array(0..<200))
    }

    @Test func `async saves are suspended while the queue is full, and stored in the end`() async throws {
        let harness = try PipelineHarness {
            $0.limits.bytes = 0
            $0.saveQueueBytes = 100_000
        }
        try await harness.save("before")
        let holder = try Holder(harness)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask { try await harness.pipeline.save(Data(count: 10_000), stream: "s", partitionKey: nil) }
            }
            holder.release()
            try await group.waitForAll()
        }
        #expect(try harness.records() == 101)
    }

    @Test func `a completion that blocks does not stop the queue from draining`() async throws {
        let harness = try PipelineHarness {
            $0.limits.bytes = 0
            $0.saveQueueBytes = 100_000
        }
        let gate = DispatchSemaphore(value: 0)
        let answers = Answers()
        await onThread {
            harness.pipeline.save(Data("first".utf8), stream: "s", partitionKey: nil) { result in
                gate.wait()
                answers.add(result)
            }
            // Ten times the queue's size: each call returns once there is room.
            for _ in 0..<100 {
                harness.pipeline.save(Data(count: 10_000), stream: "s", partitionKey: nil) { answers.add($0) }
            }
            gate.signal()
            answers.wait(for: 101)
        }
        #expect(answers.failures.isEmpty)
        #expect(try harness.records() == 101)
    }

    @Test func `a single record is saved however small the queue is`() async throws {
        let harness = try PipelineHarness { $0.saveQueueBytes = 1 }
        for number in 0..<3 { try await harness.pipeline.save(Data("\(number)".utf8), stream: "s", partitionKey: nil) }
        #expect(try harness.storedTexts() == ["0", "1", "2"])
    }

    @Test func `saves that are queued together share a commit, also while the queue is at work`() async throws {
        let harness = try PipelineHarness()
        let answers = Answers()
        await onThread {
            for _ in 0..<20 {
                harness.pipeline.saveTogether {
                    for text in ["first", "second"] {
                        harness.pipeline.save(Data(text.utf8), stream: "a", partitionKey: nil) { answers.add($0) }
                        // The writer has time to take what is queued.
                        for _ in 0..<1_000 { sched_yield() }
                    }
                }
            }
            answers.wait(for: 40)
        }
        #expect(answers.failures.isEmpty)
        let connection = try SQLiteConnection(path: harness.path, access: .readOnly)
        let records = try StoredRecord.all(in: connection)
        #expect(records.map(\.data) == (0..<20).flatMap { _ in [Data("first".utf8), Data("second".utf8)] })
        // A block has the records of one commit.
        let blocks = try connection.prepare("SELECT id & 0xFFFFFFFFFF FROM block_1")
        while try blocks.step() {
            let last = records.first { $0.sequence == blocks.integer(at: 0) }
            #expect(last?.data == Data("second".utf8))
        }
    }
}
