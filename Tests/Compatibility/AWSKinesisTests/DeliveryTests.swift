import AWSKinesis
import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// Saving and sending against a real service.
@Suite struct DeliveryTests {
    /// The guide's records.
    private static let guide = (0...100).map { String(format: "TestString-%02d", $0) }

    private func saveGuide(_ recorder: AWSAbstractKinesisRecorder, to stream: String) -> AWSTask<AnyObject> {
        AWSTask(
            forCompletionOfAllTasks: Self.guide.compactMap { recorder.saveRecord(Data($0.utf8), streamName: stream) }
        )
    }

    @Test func `the guide's 101 records reach Kinesis, each once`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("guide", shards: 2)
        let recorder = try Recorders.kinesis(url: moto.url)
        _ = try await saveGuide(recorder, to: "guide").continueOnSuccessWith { _ in recorder.submitAllRecords() }.value
        let arrived = try await moto.kinesisRecords("guide").map { String(decoding: $0.data, as: UTF8.self) }
        #expect(arrived.sorted() == Self.guide.sorted())
        #expect(recorder.diskBytesUsed == 0)
    }

    @Test func `the guide's 101 records reach Firehose, each once and in order`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createDeliveryStream("guide-delivery")
        let recorder = try Recorders.firehose(url: moto.url)
        _ = try await saveGuide(recorder, to: "guide-delivery").value
        _ = try await recorder.submitAllRecords().value
        let arrived = String(decoding: try await moto.firehoseBytes("guide-delivery"), as: UTF8.self)
        #expect(arrived == Self.guide.joined())
        #expect(recorder.diskBytesUsed == 0)
    }

    @Test(arguments: [AWSKinesisRequestFormat.json, .cbor])
    func `any bytes and a partition key in any script arrive unchanged`(format: AWSKinesisRequestFormat) async throws {
        let moto = try await MotoServer.shared()
        let stream = "bytes-\(format)"
        try await moto.createStream(stream)
        let recorder = try Recorders.kinesis(url: moto.url)
        recorder.requestFormat = format
        #expect(recorder.requestFormat == format)
        let data = Data((0...255).map { UInt8($0) })
        _ = try await recorder.saveRecord(data, streamName: stream, partitionKey: "ключ \"🦆\"").value
        _ = try await recorder.submitAllRecords().value
        let records = try await moto.kinesisRecords(stream)
        #expect(records.map(\.data) == [data])
        #expect(records.map(\.partitionKey) == ["ключ \"🦆\""])
        #expect(try await moto.requests(stream).map(\.format) == ["\(format)"])
    }

    @Test func `requests are in JSON unless the recorder's format is set`() throws {
        #expect(try Recorders.kinesis().requestFormat == .json)
    }

    @Test func `compressed requests in CBOR arrive unchanged`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("compressed-cbor")
        let recorder = try Recorders.kinesis(url: moto.url)
        recorder.requestFormat = .cbor
        recorder.compressesRequests = true
        _ = try await saveGuide(recorder, to: "compressed-cbor").value
        _ = try await recorder.submitAllRecords().value
        #expect(try await moto.kinesisRecords("compressed-cbor").map(\.text) == Self.guide)
        #expect(try await moto.requests("compressed-cbor").map(\.format) == ["cbor"])
    }

    @Test func `compressed requests arrive at both services unchanged`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("compressed")
        try await moto.createDeliveryStream("compressed")
        let kinesis = try Recorders.kinesis(url: moto.url)
        let firehose = try Recorders.firehose(url: moto.url)
        for recorder in [kinesis, firehose] as [AWSAbstractKinesisRecorder] {
            recorder.compressesRequests = true
            _ = try await saveGuide(recorder, to: "compressed").value
            _ = try await recorder.submitAllRecords().value
        }
        #expect(try await moto.kinesisRecords("compressed").map(\.text) == Self.guide)
        #expect(String(decoding: try await moto.firehoseBytes("compressed"), as: UTF8.self) == Self.guide.joined())
    }

    @Test func `Firehose records end with a newline if the option is set`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createDeliveryStream("lines")
        let recorder = try Recorders.firehose(url: moto.url)
        recorder.appendsNewline = true
        for text in ["one", "two\n", "three"] {
            _ = try await recorder.saveRecord(Data(text.utf8), streamName: "lines").value
        }
        let progress = Locked<[AWSSubmitProgress]>([])
        recorder.submitProgressHandler = { step in progress.withLock { $0.append(step) } }
        _ = try await recorder.submitAllRecords().value
        #expect(String(decoding: try await moto.firehoseBytes("lines"), as: UTF8.self) == "one\ntwo\nthree\n")
        #expect(progress.withLock { $0 }.map(\.recordsSent) == [3])
        #expect(progress.withLock { $0 }.map(\.recordsLeft) == [0])
    }

    @Test func `the metrics handler is called once for each submit, also for one that fails`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("metrics")
        let (stopped, recorder) = (
            try Recorders.kinesis(url: "http://127.0.0.1:1"), try Recorders.kinesis(url: moto.url)
        )
        let submits = AsyncStream<AWSSubmitMetrics>.makeStream()
        for recorder in [stopped, recorder] {
            recorder.metricsHandler = { submits.continuation.yield($0) }
            for text in ["one", "two"] {
                _ = try await recorder.saveRecord(Data(text.utf8), streamName: "metrics").value
            }
            _ = try? await recorder.submitAllRecords().value
        }
        var found: [AWSSubmitMetrics] = []
        for await submit in submits.stream {
            found.append(submit)
            if found.count == 2 { break }
        }
        #expect(found.map(\.recordsSent) == [0, 2] && found.map(\.entriesSent) == [0, 2])
        #expect(found.map { $0.error?.domain } == [NSURLErrorDomain, nil])
        #expect(found.map { $0.statistics?.stored } == [2, 0] && found.map { $0.statistics?.saved } == [2, 2])
        #expect(found.allSatisfy { $0.duration > 0 && $0.recordsDiscarded == 0 })
    }

    @Test func `what a full store discards is in the log at once, and then as a sum`() async throws {
        await #expect(processExitsWith: .success) {
            let counts = Locked<[Int]>([])
            RecorderLog.listen(
                as: "test",
                wants: { $0 == .warning },
                take: { _, text in
                    guard text.contains("of full were discarded"), let count = Int(text.prefix { $0.isNumber }) else {
                        return
                    }
                    counts.withLock { $0.append(count) }
                }
            )
            let recorder = try Recorders.kinesis(url: "http://127.0.0.1:1")
            recorder.diskByteLimit = 250
            for _ in 0..<40 { _ = try await recorder.saveRecord(Data(count: 100), streamName: "full").value }
            try? await recorder.submit()
            while counts.withLock({ $0.reduce(0, +) }) < 38 { try await Task.sleep(for: .milliseconds(20)) }
            let found = counts.withLock { $0 }
            exit(found.first == 1 && (2...5).contains(found.count) ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test func `a metricsHandler that does not return is warned of by its name`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let recorder = try Recorders.kinesis()
            let gate = Gate()
            recorder.metricsHandler = { _ in gate.wait() }
            for _ in 0..<20 { try? await recorder.submit() }
            exit(EXIT_SUCCESS)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("metricsHandler of a recorder has not returned") && !text.contains("observer"))
    }

    @Test func `a service that validates signatures and policies accepts records, and those of an unknown user stay`()
        async throws
    {
        let moto = try await MotoServer(checkingAccess: true)
        let users = try #require(moto.users)
        try await moto.createStream("guarded")
        try await moto.createDeliveryStream("guarded")
        _ = Recorders.path
        for (keys, isAllowed) in [(users.allowed, true), (users.denied, false)] {
            let configuration = try Recorders.configuration(moto.url, keys)
            let key = "guarded \(isAllowed)"
            AWSKinesisRecorder.register(with: configuration, forKey: key)
            AWSFirehoseRecorder.register(with: configuration, forKey: key)
            for recorder in [AWSKinesisRecorder(forKey: key)!, AWSFirehoseRecorder(forKey: key)!]
                as [AWSAbstractKinesisRecorder]
            {
                _ = try await recorder.saveRecord(Data("x".utf8), streamName: "guarded").value
                let error = await recorder.submitAllRecords().failure()
                #expect((error == nil) == isAllowed, "\(String(describing: error))")
                #expect((recorder.diskBytesUsed == 0) == isAllowed)
                if let error { #expect(error.domain == AWSServiceErrorDomain) }
            }
        }
        #expect(try await moto.kinesisRecords("guarded").count == 1)
        await moto.stop()
    }

    @Test(arguments: [AWSKinesisRequestFormat.json, .cbor])
    func `throttling and failing services receive every record once in the end`(
        format: AWSKinesisRequestFormat
    ) async throws {
        let moto = try await MotoServer.shared()
        for name in ["calm", "some-throttle-1-s", "some-partial-2-s", "some-http503-1-s"] {
            let stream = "\(name)-\(format)"
            try await moto.createStream(stream)
            let recorder = try Recorders.kinesis(url: moto.url)
            recorder.requestFormat = format
            _ = try await saveGuide(recorder, to: stream).value
            _ = try await recorder.submitAllRecords().value
            let arrived = try await moto.kinesisRecords(stream).map { String(decoding: $0.data, as: UTF8.self) }
            #expect(arrived.sorted() == Self.guide.sorted(), "\(stream)")
            #expect(recorder.diskBytesUsed == 0)
            #expect(try await moto.requests(stream).allSatisfy { $0.format == "\(format)" })
        }
    }

    @Test func `a process killed between save and submit loses nothing, and the next one sends each record once`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createStream("killed")
        let directory = try TemporaryDirectory()
        let path = directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            AWSAbstractKinesisRecorder.storeDirectory = URL(fileURLWithPath: path)
            let recorder = try #require(AWSKinesisRecorder.default())
            let saves = (0...100).map { number in
                recorder.saveRecord(String(format: "TestString-%02d", number).data(using: .utf8), streamName: "killed")!
            }
            _ = try await AWSTask(forCompletionOfAllTasks: saves).value
            kill(getpid(), SIGKILL)
        }
        let url = moto.url
        await #expect(processExitsWith: .success) { [path = path as String, url = url as String] in
            AWSAbstractKinesisRecorder.storeDirectory = URL(fileURLWithPath: path)
            let configuration = AWSServiceConfiguration(
                region: .USEast1,
                endpoint: AWSEndpoint(urlString: url),
                credentialsProvider: AWSStaticCredentialsProvider(accessKey: Canary.accessKey, secretKey: Canary.secret)
            )
            AWSServiceManager.default().defaultServiceConfiguration = configuration
            let recorder = try #require(AWSKinesisRecorder.default())
            _ = try await recorder.submitAllRecords().value
            #expect(recorder.diskBytesUsed == 0)
        }
        let arrived = try await moto.kinesisRecords("killed").map { String(decoding: $0.data, as: UTF8.self) }
        #expect(arrived == Self.guide)
    }
}
