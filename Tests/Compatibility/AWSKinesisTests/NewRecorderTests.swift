import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// Recorders that are created with `AWSKinesisRecorder()` and `AWSFirehoseRecorder()`, and their asynchronous saves.
@Suite(.timeLimit(.minutes(10))) struct NewRecorderTests {
    private let directory: TemporaryDirectory
    private var url: URL { URL(fileURLWithPath: directory.path) }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test
    func `by default a recorder has the machine's region and keys, the directory of default(), and room for 1 GiB`()
        async throws
    {
        let moto = try await MotoServer.shared()
        try await moto.createStream("new-recorder")
        try await moto.createDeliveryStream("new-recorder")
        // Variables are the whole process's.
        await #expect(processExitsWith: .success) { [address = moto.url as String] in
            let directory = try Self.machine(endpoint: address)
            let kinesis = try AWSKinesisRecorder()
            #expect(kinesis.diskByteLimit == 1 << 30 && kinesis.maximumRecordBytes == 1_024_000)
            #expect(kinesis.diskAgeLimit == 0 && kinesis.configuration.regionType == .USEast1)
            try await kinesis.save(Data("1".utf8), to: "new-recorder", partitionKey: "key")
            try await kinesis.save(Data("2".utf8), to: "new-recorder")
            try await kinesis.save(
                contentsOf: ["3", "4"].map { Data($0.utf8) },
                to: "new-recorder",
                partitionKey: "key"
            )
            try await kinesis.save(contentsOf: ["5", "6"].map { Data($0.utf8) }, to: "new-recorder")
            #expect(AWSKinesisRecorder.default().diskBytesUsed == kinesis.diskBytesUsed && kinesis.diskBytesUsed > 0)
            #expect(FileManager.default.fileExists(atPath: directory.path("kinesis.db")))
            try await kinesis.submit()
            let firehose = try AWSFirehoseRecorder()
            #expect(firehose.diskByteLimit == 1 << 30)
            firehose.appendsNewline = true
            try await firehose.save(contentsOf: ["1", "2"].map { Data($0.utf8) }, to: "new-recorder")
            try await firehose.save(Data("3".utf8), to: "new-recorder")
            try await firehose.submit()
            #expect(kinesis.diskBytesUsed == 0 && firehose.diskBytesUsed == 0)
        }
        let records = try await moto.kinesisRecords("new-recorder")
        #expect(records.map(\.text).sorted() == (1...6).map(String.init))
        #expect(Set(records.filter { $0.partitionKey == "key" }.map(\.text)) == ["1", "3", "4"])
        #expect(Set(records.map(\.partitionKey)).count == 4)
        #expect(try await moto.firehoseBytes("new-recorder") == Array("1\n2\n3\n".utf8))
    }

    @Test func `what default() has saved, a new recorder delivers once, as both have one store`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("new-and-default")
        await #expect(processExitsWith: .success) { [address = moto.url as String] in
            _ = try Self.machine(endpoint: address)
            let (old, new) = (AWSKinesisRecorder.default()!, try AWSKinesisRecorder())
            await withTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        let data = Data("\(number)".utf8)
                        if number.isMultiple(of: 2) {
                            _ = try? await old.saveRecord(data, streamName: "new-and-default").value
                        } else {
                            try? await new.save(data, to: "new-and-default")
                        }
                        if number.isMultiple(of: 20) { old.submitAllRecords() }
                    }
                }
            }
            try await new.submit()
            #expect(new.diskBytesUsed == 0 && old.diskBytesUsed == 0)
        }
        let texts = try await moto.kinesisRecords("new-and-default").compactMap { Int($0.text) }
        #expect(texts.sorted() == Array(0..<200))
    }

    /// The variables of a process, which is alone in this machine.
    private static func machine(endpoint: String) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        setenv("AWS_REGION", "us-east-1", 1)
        setenv("AWS_ACCESS_KEY_ID", Canary.accessKey, 1)
        setenv("AWS_SECRET_ACCESS_KEY", Canary.secret, 1)
        setenv("AWS_ENDPOINT_URL", endpoint, 1)
        setenv("AWS_KINESIS_RECORDER_DIR", directory.path, 1)
        return directory
    }

    @Test func `without a region there is no recorder, and the error names what to set`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            for name in ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_CONFIG_FILE"] { unsetenv(name) }
            setenv("HOME", directory.path, 1)
            let error = #expect(throws: AWSRecorderSetupError.self) { try AWSKinesisRecorder() }
            #expect(error?.setting == .region)
            #expect(error?.localizedDescription.contains("set AWS_REGION, or region in the profile") == true)
        }
    }

    @Test func `a setting that cannot be used is refused when the recorder is created`() throws {
        var error = #expect(throws: AWSRecorderSetupError.self) { try AWSKinesisRecorder(region: "Frankfurt!") }
        #expect(error?.setting == .region && error?.description.contains("is not a region name") == true)
        error = #expect(throws: AWSRecorderSetupError.self) {
            try AWSKinesisRecorder(region: "eu-west-1", endpoint: "localhost", directory: url)
        }
        #expect(error?.setting == .endpoint && error?.description.contains("is not an endpoint address") == true)
        let website = try #require(URL(string: "https://example.com/records"))
        error = #expect(throws: AWSRecorderSetupError.self) {
            try AWSFirehoseRecorder(region: "eu-west-1", directory: website)
        }
        #expect(error?.setting == .directory && error?.description.contains("is not a file URL") == true)
    }

    @Test func `a second region needs a directory of its own`() throws {
        let here = try AWSKinesisRecorder(region: "eu-west-1", directory: url)
        let error = #expect(throws: AWSRecorderSetupError.self) {
            try AWSKinesisRecorder(region: "eu-west-2", directory: url)
        }
        #expect(error?.setting == .directory && error?.description.contains("eu-west-1") == true)
        // The same one, another service, and another directory are different matters.
        #expect(here !== (try AWSKinesisRecorder(region: "eu-west-1", directory: url)))
        _ = try AWSFirehoseRecorder(region: "eu-west-2", directory: url)
        _ = try AWSKinesisRecorder(region: "eu-west-2", directory: url.appendingPathComponent("eu-west-2"))
    }

    @Test func `limits are those of the recorder, and a record beyond them is not saved`() async throws {
        let recorder = try AWSKinesisRecorder(
            region: "eu-west-1",
            directory: url,
            limits: AWSRecorderLimits(diskBytes: 10_000, diskAge: .seconds(3_600), recordBytes: 100)
        )
        #expect(recorder.diskByteLimit == 10_000 && recorder.diskAgeLimit == 3_600)
        for records in [[Data(count: 101)], [Data(count: 1), Data(count: 101)]] {
            let error = await #expect(throws: NSError.self) {
                try await recorder.save(contentsOf: records, to: "stream")
            }
            #expect(error?.domain == AWSKinesisRecorderErrorDomain)
            #expect(error?.code == AWSKinesisRecorderErrorType.dataTooLarge.rawValue)
        }
        #expect(recorder.diskBytesUsed == 0)
        try await recorder.save(contentsOf: [], to: "stream")
        try await recorder.save(Data(count: 100), to: "stream")
        #expect(recorder.diskBytesUsed > 100)
    }

    @Test func `records that cannot be sent stay, and the error says why`() async throws {
        let recorder = try AWSKinesisRecorder(
            region: "eu-west-1",
            credentials: AWSStaticCredentialsProvider(accessKey: Canary.accessKey, secretKey: Canary.secret),
            endpoint: "http://127.0.0.1:1",
            directory: url
        )
        try await recorder.save(Data("kept".utf8), to: "stream")
        let error = await #expect(throws: NSError.self) { try await recorder.submit() }
        #expect(error?.domain == NSURLErrorDomain && error?.code == NSURLErrorCannotConnectToHost)
        #expect(recorder.statistics?.stored == 1)
    }
}
