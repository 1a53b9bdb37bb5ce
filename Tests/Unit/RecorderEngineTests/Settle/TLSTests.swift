import RecorderAWS
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

/// Records are sent only to a server with a valid certificate.
@Suite(.timeLimit(.minutes(10))) struct TLSTests {
    /// What is wrong with a server or its certificate.
    enum Flaw: String, CaseIterable {
        case untrusted, selfSigned, expired, notYetValid, otherHost, oldTLS, missingAuthorityFile

        var kind: HTTPFailure.Kind {
            switch self {
            case .untrusted, .selfSigned, .expired, .notYetValid, .otherHost: .certificateUntrusted
            case .oldTLS, .missingAuthorityFile: .tls
            }
        }
    }

    @Test(arguments: Flaw.allCases)
    func `a server without a valid certificate gets no record, and all are kept`(flaw: Flaw) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let (authority, other) = (try TLSAuthority(), try TLSAuthority())
        var trusted: String? = authority.certificate
        var identity = try authority.identity()
        var arguments: [String] = []
        switch flaw {
        case .untrusted: trusted = nil
        case .selfSigned: identity = other.own
        case .expired: identity = try authority.identity(days: -3 ... -1)
        case .notYetValid: identity = try authority.identity(days: 1...3)
        case .otherHost: identity = try authority.identity(for: "DNS:kinesis.us-east-1.amazonaws.com")
        case .oldTLS: arguments = ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"]
        case .missingAuthorityFile: trusted = "/no/such/file.pem"
        }
        let front = try TLSFront(before: server, identity, arguments: arguments)
        let pauses = Recorded<Duration>()
        let harness = try harness(to: server, through: front, trusting: trusted, pauses)
        try await harness.saveAll(["1", "2"])
        let report = try await harness.flush()

        guard case .service(let failure)? = report.failures.first?.error, case .transport(let cause) = failure.kind
        else {
            Issue.record("not a failure of the transport: \(report)")
            return
        }
        #expect(cause.kind == flaw.kind, "\(cause)")
        #expect(failure.message.contains("AWS_CA_BUNDLE"))
        #expect(pauses.all.isEmpty)
        #expect(server.connectionCount == 0)
        #expect(try harness.storedTexts() == ["1", "2"])
        #expect(try harness.storedFailures() == [0, 0])
    }

    @Test func `a server whose authority is trusted gets every record`() async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let authority = try TLSAuthority()
        let front = try TLSFront(before: server, try authority.identity())
        let harness = try harness(to: server, through: front, trusting: authority.certificate, Recorded())
        try await harness.saveAll((0..<1_100).map(String.init))
        let report = try await harness.flush()
        #expect(report.delivered == 1_100 && report.failures.isEmpty, "\(report.failures)")
        #expect(server.requests.flatMap { ParsedPutRequest($0).texts } == (0..<1_100).map(String.init))
        #expect(try harness.records() == 0)
    }

    @Test(arguments: [("IP:::1", true), ("IP:127.0.0.1", false), ("DNS:localhost", false)])
    func `a server at an IPv6 address must have a certificate for that address`(
        name: String,
        isRight: Bool
    ) async throws {
        guard LocalSocket.hasIPv6 else { return print("R23 skipped: this machine has no ::1.") }
        let server = try LocalServer { request, _ in .kinesis(request) }
        let authority = try TLSAuthority()
        let front = try TLSFront(on: "[::1]", before: server, try authority.identity(for: name))
        let harness = try harness(to: server, through: front, trusting: authority.certificate, Recorded())
        try await harness.save("1")
        let report = try await harness.flush()
        #expect(report.delivered == (isRight ? 1 : 0) && report.failures.isEmpty == isRight, "\(report.failures)")
        #expect(try harness.storedTexts() == (isRight ? [] : ["1"]))
        #expect(server.requests.map { $0.header("Host") } == (isRight ? [String(front.url.dropFirst(8))] : []))
    }

    private func harness(
        to server: LocalServer,
        through front: TLSFront,
        trusting path: String?,
        _ pauses: Recorded<Duration>
    ) throws -> PipelineHarness {
        let transport = CurlTransport(certificateAuthorities: path)
        return try PipelineHarness(
            to: server,
            calling: { configuration throws(ConfigurationFailure) in
                configuration.endpoint = try Endpoint(url: front.url)
                configuration.transport = transport
                configuration.pause = { pauses.append($0) }
            }
        )
    }
}
