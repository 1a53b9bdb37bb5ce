import Foundation
import GatewayKit
import KinesisRecorders
import Testing

struct GatewayTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("gateway-\(UUID())")

    /// A recorder in a directory of this test, for an address at which no service is.
    private func offlineRecorder() throws -> AWSKinesisRecorder {
        try AWSKinesisRecorder(
            region: "us-east-1",
            credentials: AWSStaticCredentialsProvider(accessKey: "any", secretKey: "any"),
            endpoint: "http://127.0.0.1:1",
            directory: directory
        )
    }

    /// Runs a gateway until it has taken three readings.
    private func takeThreeReadings(with recorder: AWSKinesisRecorder, stream: String) async {
        let (readings, continuation) = AsyncStream.makeStream(of: Void.self)
        var gateway = Gateway(recorder: recorder, stream: stream) {
            continuation.yield()
            return Data("21.5".utf8)
        }
        gateway.readingPause = .milliseconds(1)
        let run = Task { [gateway] in await gateway.run() }
        for await _ in readings.prefix(4) {}
        run.cancel()
        await run.value
    }

    @Test func `without a network readings stay on disk, also for the next start`() async throws {
        let first = try offlineRecorder()
        await takeThreeReadings(with: first, stream: "readings")
        #expect(try #require(first.statistics).stored >= 3)
        let next = try offlineRecorder()
        #expect(next.statistics?.stored == first.statistics?.stored)
    }

    /// `make examples` has such a service, and `make demo KEEP=DIR` with its variables.
    private static let hasService = ProcessInfo.processInfo.environment["AWS_ENDPOINT_URL"] != nil

    @Test(.enabled(if: hasService, "AWS_ENDPOINT_URL names no local service"))
    func `a gateway that is stopped sends what is left`() async throws {
        let recorder = try AWSKinesisRecorder(directory: directory)
        await takeThreeReadings(with: recorder, stream: "demo")
        let counts = try #require(recorder.statistics)
        #expect(counts.delivered >= 3 && counts.stored == 0)
    }
}
