import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

/// A batch's SHA-256 is computed before the batch is sent; bisecting or retrying it changes the body.
@Suite(.timeLimit(.minutes(10))) struct SignedBodyTests {
    private static let date = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(arguments: [false, true], RequestFormat.allCases)
    func `each request is signed over its own body: complete, bisected or retried in part`(
        compresses: Bool,
        format: RequestFormat
    ) async throws {
        let server = try LocalServer { request, index in
            // The test does not decompress, so compressed requests are distinguished by their index.
            guard !compresses else { return index == 0 ? .html(500, "") : .kinesis(request) }
            let texts = ParsedPutRequest(request).texts
            if texts.count == 8 { return .error(400, "ValidationException").encoded(for: request) }
            return .kinesis(request) { index < 3 && $0 == "2" ? "InternalFailure" : nil }
        }
        let harness = try PipelineHarness(
            to: server,
            {
                $0.compressesRequests = compresses
                $0.requestFormat = format
            },
            calling: { $0.now = { Self.date } }
        )
        try await harness.saveAll((0..<8).map { "\($0)" })
        _ = try await harness.flush()
        #expect(server.requests.count > (compresses ? 1 : 3))
        for request in server.requests {
            #expect(request.header("Authorization") == Self.authorization(of: request))
            #expect(request.isCBOR == (format == .cbor))
        }
    }

    @Test func `a request in JSON after one in CBOR is signed over its own body`() async throws {
        let server = try LocalServer { request, _ in request.isCBOR ? .html(415, "") : .kinesis(request) }
        let harness = try PipelineHarness(
            to: server,
            { $0.requestFormat = .cbor },
            calling: { $0.now = { Self.date } }
        )
        try await harness.saveAll(["1", "2"])
        #expect(try await harness.flush().delivered == 2)
        #expect(server.requests.count == 2)
        for request in server.requests { #expect(request.header("Authorization") == Self.authorization(of: request)) }
    }

    /// The correct signature of a received request.
    private static func authorization(of request: ReceivedRequest) -> String? {
        var signed = HTTPRequest(url: "https://localhost", body: request.body)
        let names: Set = ["host", "content-type", "x-amz-target", "content-encoding"]
        signed.headers = request.headers.filter { names.contains($0.name.lowercased()) }
        SigV4Signer(region: "us-east-1", service: "kinesis")
            .sign(&signed, path: request.path, with: Canary.credentials, at: date)
        return signed.headers.last { $0.name == "Authorization" }?.value
    }
}
