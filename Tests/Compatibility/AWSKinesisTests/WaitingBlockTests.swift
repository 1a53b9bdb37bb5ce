import AWSKinesis
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// Blocks and observers may wait for each other and for saves: nothing hangs, and saves complete.
@Suite(.timeLimit(.minutes(2))) struct WaitingBlockTests {
    /// An observer on a queue that is not served: `post` waits for it, as it does for `.main` in a program without run loop.
    private final class UnservedObserver: Sendable {
        private let queue = OperationQueue()
        private let values = Locked<[Int]>([])
        private let streams = Locked<Set<String>>([])

        init(_ name: Notification.Name, of recorder: AWSAbstractKinesisRecorder, _ key: String) {
            queue.isSuspended = true
            queue.maxConcurrentOperationCount = 1
            _ = NotificationCenter.default.addObserver(forName: name, object: recorder, queue: queue) {
                [weak self] note in
                let value = note.userInfo?[key] as? Int ?? -1
                self?.values.withLock { $0.append(value) }
                let streams = note.userInfo?[AWSRecorderDiscardStreamNamesKey] as? [String] ?? []
                self?.streams.withLock { $0.formUnion(streams) }
            }
        }

        func serve() { queue.isSuspended = false }

        var seen: [Int] { values.withLock { $0 } }
        var seenStreams: Set<String> { streams.withLock { $0 } }

        /// Returns once `isEnough` is true for the received notifications.
        func sees(_ isEnough: ([Int]) -> Bool) async throws {
            while !isEnough(seen) { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    private static let threshold = Notification.Name.AWSKinesisRecorderByteThresholdReached
    private static let thresholdKey = AWSKinesisRecorderByteThresholdReachedNotificationDiskBytesUsedKey

    @Test func `an observer on a queue that is not served delays no save, and gets its notifications later`()
        async throws
    {
        let recorder = try Recorders.kinesis()
        recorder.notificationByteThreshold = 1
        let observer = UnservedObserver(Self.threshold, of: recorder, Self.thresholdKey)
        var usages: [Int] = []
        for number in 1...20 {
            _ = try await recorder.saveRecord(Data(count: number), streamName: "stream", partitionKey: "k").value
            usages.append(Int(recorder.diskBytesUsed))
        }
        #expect(observer.seen.isEmpty)
        observer.serve()
        try await observer.sees { $0.count == 20 }
        #expect(observer.seen == usages)
    }

    @Test func `behind a blocked observer the newest notification is kept, and discards are added up`()
        async throws
    {
        let recorder = try Recorders.kinesis()
        recorder.notificationByteThreshold = 1
        recorder.diskByteLimit = 400
        let notifications = UnservedObserver(Self.threshold, of: recorder, Self.thresholdKey)
        let discards = UnservedObserver(.AWSRecorderDidDiscardRecords, of: recorder, AWSRecorderDiscardCountKey)
        let saves = (0..<3_000).map { number in
            recorder.saveRecord(Data(count: 10), streamName: "stream\(number % 3)", partitionKey: "k")
        }
        for save in saves { _ = try await save?.value }
        let statistics = try #require(recorder.statistics)
        notifications.serve()
        discards.serve()
        try await discards.sees { $0.reduce(0, +) >= statistics.evicted }
        #expect(discards.seen.reduce(0, +) == statistics.evicted)
        #expect(discards.seenStreams == ["stream0", "stream1", "stream2"])
        // The blocked one, and those that may wait behind it.
        #expect(notifications.seen.count <= 1_025)
        #expect(discards.seen.count <= 1_025)
    }

    @Test func `a continuation may wait for another save's task`() async throws {
        let recorder = try Recorders.kinesis()
        let result = try await recorder.saveRecord(Data([1]), streamName: "stream").continueOnSuccessWith { _ in
            let second = recorder.saveRecord(Data([2]), streamName: "stream")
            second?.waitUntilFinished()
            return recorder.statistics?.stored
        }.value
        #expect(result as? Int == 2)
    }

    @Test func `a continuation may wait for another one's signal`() async throws {
        let recorder = try Recorders.kinesis()
        let signal = DispatchSemaphore(value: 0)
        let first = recorder.saveRecord(Data([1]), streamName: "stream").continueWith { _ in
            signal.wait(timeout: .now() + 20) == .success
        }
        let second = recorder.saveRecord(Data([2]), streamName: "stream").continueWith { _ in
            signal.signal()
            return nil
        }
        _ = try await second.value
        #expect(try await first.value as? Bool == true)
    }

    @Test func `an observer may wait for the save that it observes`() async throws {
        let recorder = try Recorders.firehose()
        recorder.notificationByteThreshold = 1
        let stored = DispatchSemaphore(value: 0)
        let came = Locked<[Bool]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: .AWSFirehoseRecorderByteThresholdReached,
            object: recorder,
            queue: nil
        ) { _ in
            let isStored = stored.wait(timeout: .now() + 20) == .success
            came.withLock { $0.append(isStored) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        _ = try await recorder.saveRecord(Data([1]), streamName: "stream").continueWith { _ in stored.signal() }.value
        while came.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(came.withLock { $0 } == [true])
    }
}
