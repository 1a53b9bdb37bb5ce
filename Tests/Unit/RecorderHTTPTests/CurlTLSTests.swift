import Foundation
import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CurlTLSTests {
    @Test func `a certificate of an unknown authority is refused`() async throws {
        let server = try TLSServer()
        let failure = await failure(of: server, trusting: nil)
        #expect(failure?.kind == .certificateUntrusted)
        #expect(failure?.detail.contains("AWS_CA_BUNDLE") == true)
    }

    @Test func `a certificate is accepted once its authority is named`() async throws {
        let server = try TLSServer()
        #expect(await failure(of: server, trusting: server.certificate) == nil)
    }

    @Test func `a certificate for another host is refused`() async throws {
        let server = try TLSServer(for: "DNS:kinesis.us-east-1.amazonaws.com")
        #expect(await failure(of: server, trusting: server.certificate)?.kind == .certificateUntrusted)
    }

    @Test func `TLS before 1.2 is refused`() async throws {
        let server = try TLSServer(arguments: ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
        #expect(await failure(of: server, trusting: server.certificate)?.kind == .tls)
    }

    @Test func `a missing authority file is an error`() async throws {
        let server = try TLSServer()
        let failure = await failure(of: server, trusting: "/no/such/file.pem")
        #expect(failure?.kind == .tls)
        #expect(failure?.detail.contains("AWS_CA_BUNDLE") == true)
    }

    @Test func `AWS_CA_BUNDLE names the authorities of the shared transport`() async {
        await #expect(processExitsWith: .success) {
            let server = try TLSServer()
            setenv("AWS_CA_BUNDLE", server.certificate, 1)
            for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
            let request = HTTPRequest(method: .get, url: server.url)
            try #require(try await CurlTransport.shared.send(request).status == 200)
        }
    }

    private func failure(of server: TLSServer, trusting path: String?) async -> HTTPFailure? {
        do throws(HTTPFailure) {
            let transport = CurlTransport(certificateAuthorities: path)
            _ = try await transport.send(HTTPRequest(method: .get, url: server.url))
            return nil
        } catch {
            return error
        }
    }
}
