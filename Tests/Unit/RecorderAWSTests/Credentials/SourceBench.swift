import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport

/// Set-up that the tests of sources share: a context without home, network or pauses.
extension CredentialsContext {
    static func test(
        _ environment: [String: String] = [:],
        transport: any HTTPTransport = PatientTransport(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> CredentialsContext {
        CredentialsContext(
            region: try Region("us-east-1"),
            environment: environment,
            transport: transport,
            now: now,
            pause: { _ in }
        )
    }
}

/// The transport that all share, with minutes for what has seconds: a busy machine is no outage.
struct PatientTransport: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        var patient = request
        patient.timeouts = HTTPTimeouts()
        return try await CurlTransport.shared.send(patient)
    }
}

/// A transport that sends what goes to one host to a local server, and notes every request.
struct Redirecting: HTTPTransport {
    let host: String
    let server: LocalServer
    let requests = Recorded<HTTPRequest>()

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests.append(request)
        var changed = request
        changed.url = request.url.replacingOccurrences(of: "http://\(host)", with: server.url)
        return try await PatientTransport().send(changed)
    }
}

/// What processes, containers and machines print.
enum KeysJSON {
    static let credentials = Credentials(
        accessKeyID: "ASIA2",
        secretAccessKey: Canary.secret,
        sessionToken: Canary.token,
        expiration: Date(timeIntervalSince1970: 4_102_444_800)
    )

    static func text(_ token: String = "Token", expiration: String = "2100-01-01T00:00:00Z", more: String = "")
        -> String
    {
        #"{"AccessKeyId":"ASIA2","SecretAccessKey":"\#(Canary.secret)","\#(token)":"\#(Canary.token)","#
            + #""Expiration":"\#(expiration)"\#(more)}"#
    }
}
