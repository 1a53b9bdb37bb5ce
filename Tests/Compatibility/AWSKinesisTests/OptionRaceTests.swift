import AWSKinesis
import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Options of one recorder that several threads set at the same time.
@Suite(.timeLimit(.minutes(2))) struct OptionRaceTests {
    /// Sets an option to a number, and reads it back.
    private typealias Option = (
        set: @Sendable (AWSKinesisRecorder, UInt) -> Void, get: @Sendable (AWSKinesisRecorder) -> UInt
    )

    private static let options: [Option] = [
        ({ $0.diskByteLimit = $1 << 30 }, { $0.diskByteLimit >> 30 }),
        ({ $0.diskAgeLimit = TimeInterval($1 * 1_000) }, { UInt(($0.diskAgeLimit / 1_000).rounded()) }),
        ({ $0.notificationByteThreshold = $1 << 40 }, { $0.notificationByteThreshold >> 40 }),
        ({ $0.maximumFailures = $1 + 100 }, { $0.maximumFailures &- 100 }),
        ({ $0.maxConcurrentStreams = $1 }, { $0.maxConcurrentStreams }),
        ({ $0.aggregatedEntryBytes = 2_000 + $1 }, { $0.aggregatedEntryBytes &- 2_000 }),
        ({ $0.batchRecordsByteLimit = 500_000 + $1 }, { $0.batchRecordsByteLimit &- 500_000 }),
        ({ $0.saveQueueByteLimit = $1 << 20 }, { $0.saveQueueByteLimit >> 20 }),
    ]

    /// Sets each of the options that are not numbers, to one value or the other.
    private static func setSwitches(of recorder: AWSKinesisRecorder, to isOn: Bool) {
        recorder.aggregatesRecords = isOn
        recorder.randomKeys = isOn
        recorder.omitsPartitionKeys = isOn
        recorder.keepsOrder = isOn
        recorder.assumesDistributionByKey = isOn
        recorder.keepsRejected = isOn
        recorder.compressesRequests = isOn
        recorder.notifiesOnCrossingOnly = isOn
        recorder.requestFormat = isOn ? .cbor : .json
        recorder.maxConcurrentRequests = isOn ? 2 : 1
        recorder.maximumRecordBytes = isOn ? 300_000 : 262_144
        recorder.maximumBytesPerSecond = isOn ? 1 << 40 : 0
        let progress: @Sendable (AWSSubmitProgress) -> Void = { _ in }
        let metrics: @Sendable (AWSSubmitMetrics) -> Void = { _ in }
        recorder.submitProgressHandler = isOn ? progress : nil
        recorder.metricsHandler = isOn ? metrics : nil
    }

    /// Sets each option that only Firehose's recorders have.
    private static func setOptions(of recorder: AWSFirehoseRecorder, to isOn: Bool) {
        recorder.appendsNewline = isOn
        recorder.packsRecords = isOn
        recorder.packedRecordBytes = isOn ? 2_000 : 5_120
    }

    /// Runs each body on a thread of its own, all at the same time.
    private static func atOnce(_ bodies: [@Sendable () -> Void]) async {
        await withTaskGroup(of: Void.self) { group in
            for body in bodies { group.addTask { try? await onNewThread(named: "option") { body() } } }
        }
    }

    @Test func `an option keeps its value while other threads set other options`() async throws {
        let recorder = try Recorders.kinesis()
        let lost = Locked(0)
        await Self.atOnce(
            Self.options.map { option in
                { @Sendable in
                    for value in UInt(1)...2_000 {
                        option.set(recorder, value)
                        if option.get(recorder) != value { lost.withLock { $0 += 1 } }
                    }
                }
            }
        )
        #expect(lost.withLock { $0 } == 0)
    }

    @Test func `an option that is set while another one is being set keeps its value`() async throws {
        let recorder = try Recorders.kinesis()
        let (hasBegun, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        await Self.atOnce([
            {
                recorder.pipeline.configure { policy in
                    hasBegun.signal()
                    // The other setter waits for this one's end. If it did not, this one would overwrite what it sets.
                    _ = hasEnded.wait(timeout: .now() + 0.5)
                    policy.keepsOrder = true
                }
            },
            {
                hasBegun.wait()
                recorder.maxConcurrentStreams = 7
                hasEnded.signal()
            },
        ])
        #expect(recorder.keepsOrder && recorder.maxConcurrentStreams == 7)
    }

    @Test func `every option is set from eight threads while records are saved and submitted, and all arrive`()
        async throws
    {
        let server = try LocalServer { request, _ in
            let entries = PutRequestBody(request.body).records.map { _ in #"{"SequenceNumber":"4","ShardId":"s"}"# }
            return .json(200, #"{"Records":[\#(entries.joined(separator: ","))]}"#).encoded(for: request)
        }
        let recorder = try Recorders.kinesis(url: server.url)
        let firehose = try Recorders.firehose()
        let saved = Locked(0)
        let setters = (0..<8).map { thread in
            { @Sendable in
                for round in UInt(1)...25 {
                    for option in Self.options { option.set(recorder, round) }
                    let isOn = (Int(round) + thread).isMultiple(of: 2)
                    Self.setSwitches(of: recorder, to: isOn)
                    Self.setOptions(of: firehose, to: isOn)
                }
            }
        }
        let users = (0..<2).map { user in
            { @Sendable in
                for number in 0..<50 {
                    let task = recorder.saveRecord(Data("\(user)-\(number)".utf8), streamName: "options")
                    task?.waitUntilFinished()
                    if task?.error == nil { saved.withLock { $0 += 1 } }
                    firehose.saveRecord(Data("\(user)-\(number)".utf8), streamName: "options")
                    if number.isMultiple(of: 10) { recorder.submitAllRecords().waitUntilFinished() }
                }
            }
        }
        await Self.atOnce(setters + users)
        Self.setSwitches(of: recorder, to: false)
        recorder.maxConcurrentStreams = 4
        try await recorder.submit()
        #expect(saved.withLock { $0 } == 100)
        #expect(recorder.statistics?.delivered == 100 && recorder.diskBytesUsed == 0)
        #expect(firehose.statistics?.stored == 100)
    }
}
