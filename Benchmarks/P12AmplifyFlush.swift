import AmplifyFoundation
import AmplifyKinesisClient
import Foundation

/// The cost of an `AmplifyKinesisClient` flush with a long backlog, and its peak memory with large batches.
let p12AmplifyFlush = Benchmark(name: "P12", about: "a drain and a flush of the Amplify client", needsQuiet: false) {
    effort in
    let sink = try Sink()
    let pairs = try Pairs(
        effort == .full ? 9 : 3,
        ours: { try AmplifyBacklog(streams: 1, records: 50_000, bytes: 100).drain(to: sink).microsecondsPerRecord },
        baseline: { try AmplifyBacklog(streams: 1, records: 1_000, bytes: 100).drain(to: sink).microsecondsPerRecord }
    )
    // One flush sends all of it, as 500 records are one batch: 16 requests of 10 MB.
    let large = try AmplifyBacklog(streams: 16, records: 500, bytes: 20_000).drain(to: sink)
    return [
        Figure(
            "P12 50,000 of 100 B",
            pairs.ratio,
            atMost: 1.2,
            "ours \(pairs.ours.median.formatted) us CPU a record, of 1,000 \(pairs.baseline.median.formatted) us"
        ),
        Figure("P12 16 x 10 MB", large.peakMegabytes, "MB", atMost: 80, "resident"),
    ]
}

/// A cache full of records, drained by a separate process.
struct AmplifyBacklog {
    struct Cost {
        let microsecondsPerRecord: Double
        let peakMegabytes: Double
    }

    /// The argument that makes this program drain a directory.
    static let argument = "--amplify-drain"

    private let directory: ScratchDirectory
    private let records: Int

    init(streams: Int, records: Int, bytes: Int) throws {
        directory = try ScratchDirectory()
        self.records = streams * records
        let client = try Self.client(directory.path, "https://service.invalid")
        let data = Data(count: bytes)
        try waitFor {
            for stream in 0..<streams {
                for start in stride(from: 0, to: records, by: 500) {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in start..<min(start + 500, records) {
                            group.addTask {
                                try await client.record(data: data, partitionKey: "k", streamName: "s\(stream)")
                            }
                        }
                        try await group.waitForAll()
                    }
                }
            }
        }
    }

    func drain(to sink: Sink) throws -> Cost {
        let text = try Program.run(
            Program.executable,
            Self.argument,
            directory.path,
            sink.url,
            environment: sink.environment
        )
        let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard figures.count == 3, Int(figures[0]) == records else {
            fatalError("Expected \(records) records to be sent: \(text)")
        }
        return Cost(
            microsecondsPerRecord: figures[1] * 1e6 / Double(records),
            peakMegabytes: figures[2]
        )
    }

    /// Runs in the started program. The first record opens the file and the connection, and is not measured.
    static func drainAndPrint(_ directory: String, _ url: String) throws {
        let warm = try ScratchDirectory()
        let first = try client(warm.path, url)
        let client = try client(directory, url)
        let (flushed, time) = try waitFor {
            try await first.record(data: Data([1]), partitionKey: "k", streamName: "first")
            try await first.flush()
            let start = Meter.processorTime()
            let flushed = try await client.drain().recordsFlushed
            return (flushed, Meter.processorTime() - start)
        }
        print(flushed, Double(time) / 1e9, Double(Meter.peakResidentBytes()) / 1e6)
    }

    private static func client(_ directory: String, _ url: String) throws -> AmplifyKinesisClient {
        try AmplifyKinesisClient(
            region: "us-east-1",
            credentialsProvider: BenchmarkCredentials(),
            options: .init(
                cacheMaxBytes: 1 << 30,
                flushStrategy: .none,
                configureClient: { $0.endpoint = url },
                storeDirectory: URL(fileURLWithPath: directory)
            )
        )
    }
}

private struct BenchmarkCredentials: AWSCredentialsProvider, AWSCredentials {
    let accessKeyId = "AKIDEXAMPLE"
    let secretAccessKey = "secret"

    func resolve() async throws -> any AWSCredentials { self }
}
