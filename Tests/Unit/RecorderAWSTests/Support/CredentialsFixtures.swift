import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport

/// A context without home directory and without delays.
extension CredentialsContext {
    static func test(
        _ environment: [String: String] = [:],
        transport: any HTTPTransport = LongTimeoutTransport(),
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

/// The shared transport with longer timeouts, so that a busy machine does not fail a test.
struct LongTimeoutTransport: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        var changed = request
        changed.timeouts = HTTPTimeouts()
        return try await CurlTransport.shared.send(changed)
    }
}

/// A transport that redirects requests for one host to a local server, and records all requests.
struct Redirecting: HTTPTransport {
    let host: String
    let server: LocalServer
    let requests = Recorded<HTTPRequest>()

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests.append(request)
        var changed = request
        changed.url = request.url.replacingOccurrences(of: "http://\(host)", with: server.url)
        return try await LongTimeoutTransport().send(changed)
    }
}

/// The JSON documents of programs, containers and EC2 instances.
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
