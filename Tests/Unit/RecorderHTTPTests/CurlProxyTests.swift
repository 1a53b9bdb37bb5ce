import Foundation
import RecorderHTTP
import RecorderTestSupport
import Testing

/// Each test runs in a separate process, because it sets environment variables.
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

    @Test func `a request that opts out of proxies uses none`() async {
        await #expect(processExitsWith: .success) {
            let (server, proxy, transport) = try Self.serverBehindProxy()
            let response = try await transport.send(HTTPRequest(url: server.url, usesEnvironmentProxy: false))
            try #require(response.status == 200)
            try #require(proxy.connectionCount == 0)
        }
    }

    @Test func `an IPv6 address in no_proxy bypasses the proxy, with or without brackets and port`() async {
        guard LocalSocket.hasIPv6 else { return print("R23 skipped: this machine has no ::1.") }
        await #expect(processExitsWith: .success) {
            let (_, proxy, transport) = try Self.serverBehindProxy()
            let server = try LocalServer(on: try .bound(to: "::1")) { _, _ in .json(200, "{}") }
            try #require(try await transport.send(HTTPRequest(url: server.url)).status == 502)
            for list in ["127.0.0.1,::1", "[::1]", "localhost,[::1]:\(server.port)", "x:1, [::1]:1 [::1]:,fe80::1"] {
                setenv("no_proxy", list, 1)
                let response = try await transport.send(HTTPRequest(url: server.url))
                try #require(response.status == 200, "\(list)")
            }
            try #require(proxy.requests.count == 1)
            try #require(server.requests.first?.header("Host") == "[::1]:\(server.port)")
        }
    }

    @Test func `a port in no_proxy applies only to that port`() async {
        await #expect(processExitsWith: .success) {
            let (server, proxy, transport) = try Self.serverBehindProxy()
            // The second variable is read if the first one is empty.
            setenv("no_proxy", "", 1)
            for (list, status) in [("127.0.0.1:1,[::1]:\(server.port)", 502), ("127.0.0.1:\(server.port)", 200)] {
                setenv("NO_PROXY", list, 1)
                try #require(try await transport.send(HTTPRequest(url: server.url)).status == status, "\(list)")
            }
            try #require(proxy.requests.count == 1)
        }
    }

    @Test func `an unusable proxy is a final failure, and its password is in no message`() async {
        await #expect(processExitsWith: .success) {
            let (server, _, transport) = try Self.serverBehindProxy()
            let password = Canary.proxyPassword
            for proxy in ["http://user:\(password)@127.0.0.1:1", "user:\(password)@127.0.0.1:1", "gopher://u:word@h:1"]
            {
                setenv("http_proxy", proxy, 1)
                let failure = await #expect(throws: HTTPFailure.self) {
                    try await transport.send(HTTPRequest(url: server.url))
                }
                let detail = try #require(failure?.detail)
                try #require(!detail.contains(password) && !detail.contains("word@"))
                try #require(detail.contains("proxy") && detail.contains("https_proxy") && !detail.contains("DNS"))
                try #require(failure?.kind == .invalidURL)
            }
            try #require(server.connectionCount == 0)
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
