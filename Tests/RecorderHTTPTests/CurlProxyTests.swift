import Foundation
import RecorderHTTP
import RecorderTestSupport
import Testing

/// Each test sets variables of its process, so each has a process of its own.
@Suite(.timeLimit(.minutes(10))) struct CurlProxyTests {
    @Test func `a proxy in the environment is used`() async {
        await #expect(processExitsWith: .success) {
            let (server, proxy, transport) = try Self.serverBehindProxy()
            let response = try await transport.send(HTTPRequest(url: server.url))
            try #require(response.status == 502)
            try #require(proxy.requests.map(\.path) == [server.url + "/"])
            try #require(server.connectionCount == 0)
        }
    }

    @Test func `a request that says no to proxies meets none`() async {
        await #expect(processExitsWith: .success) {
            let (server, proxy, transport) = try Self.serverBehindProxy()
            let response = try await transport.send(HTTPRequest(url: server.url, usesEnvironmentProxy: false))
            try #require(response.status == 200)
            try #require(proxy.connectionCount == 0)
        }
    }

    private static func serverBehindProxy() throws -> (LocalServer, LocalServer, CurlTransport) {
        let server = try LocalServer { _, _ in .json(200, "{}") }
        let proxy = try LocalServer { _, _ in .html(502, "proxy") }
        unsetenv("no_proxy")
        unsetenv("NO_PROXY")
        setenv("http_proxy", proxy.url, 1)
        return (server, proxy, CurlTransport(certificateAuthorities: nil))
    }
}
