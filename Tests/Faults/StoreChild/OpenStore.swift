import Foundation
import RecorderAWS
package import RecorderEngine
package import RecorderHTTP
import RecorderTestSupport

/// A Kinesis store in a directory, with a road to a server: what a child, or the test itself, saves and submits with.
package struct OpenStore: Sendable {
    package let pipeline: RecordPipeline

    /// `url` is where submits go; nil for a store that only saves.
    package init(
        in directory: String,
        to url: String?,
        byteLimit: Int = 0,
        transport: any HTTPTransport = CurlTransport.shared,
        timeouts: HTTPTimeouts = HTTPTimeouts(),
        pausesForReal: Bool = false,
        report: @escaping @Sendable (RecorderEvent) -> Void = { _ in }
    ) {
        var policy = RecorderPolicy.legacy
        policy.limits.bytes = byteLimit
        let store = RecordStore(at: { () throws(RecorderError) in
            try StoreLocation(service: "kinesis", key: nil, directory: directory, program: "fault", environment: [:])
        })
        pipeline = RecordPipeline(
            .kinesis,
            store,
            policy,
            caller: { () throws(RecorderError) in try Self.caller(url, transport, timeouts, pausesForReal) },
            report: report
        )
    }

    package func save(_ text: String, to stream: String = "stream") async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            pipeline.save(Data(text.utf8), stream: stream, partitionKey: nil) { continuation.resume(with: $0) }
        }
    }

    package func flush() async throws -> FlushReport {
        try await withCheckedThrowingContinuation { continuation in
            pipeline.flush { continuation.resume(with: $0) }
        }
    }

    private static func caller(
        _ url: String?,
        _ transport: any HTTPTransport,
        _ timeouts: HTTPTimeouts,
        _ pausesForReal: Bool
    ) throws(RecorderError) -> AWSServiceCaller {
        do throws(ConfigurationFailure) {
            guard let url else { throw ConfigurationFailure("This store only saves.") }
            let configuration = CallConfiguration(
                region: try Region("us-east-1"),
                endpoint: try Endpoint(url: url),
                credentials: StaticCredentials(Canary.credentials),
                timeouts: timeouts,
                transport: transport,
                pause: { if pausesForReal { try await Task.sleep(for: $0) } }
            )
            return AWSServiceCaller(.kinesis, configuration)
        } catch {
            throw .configuration(error)
        }
    }
}
