import Foundation
import RecorderHTTP

/// The metadata service of an EC2 instance: a token first, then what it is for.
struct InstanceMetadata: Sendable {
    private let base: String
    private let transport: any HTTPTransport

    init(endpoint: Endpoint, transport: any HTTPTransport) {
        base = endpoint.url.hasSuffix("/") ? String(endpoint.url.dropLast()) : endpoint.url
        self.transport = transport
    }

    /// The keys of the instance's role.
    func credentials(now: Date) async throws(CredentialsFailure) -> Credentials {
        let token = try await token()
        let role = try await role(token)
        let (path, origin) = (Self.rolePath + role, "\(name), role \(role)")
        let response: HTTPResponse
        do throws(MetadataRequest.Failure) {
            response = try await request(path, token, origin).send(by: transport)
        } catch {
            throw error.cause
        }
        return try CredentialsDocument.credentials(in: response, from: origin, now: now)
    }

    /// A service that does not answer, or does not know tokens, is another machine's.
    private func token() async throws(CredentialsFailure) -> HTTPHeader {
        let headers = [HTTPHeader("X-aws-ec2-metadata-token-ttl-seconds", "300")]
        let url = base + "/latest/api/token"
        let request = MetadataRequest(.put, url: url, headers: headers, timeout: Self.timeout, origin: "\(name), token")
        let response: HTTPResponse
        do throws(MetadataRequest.Failure) {
            response = try await request.send(by: transport)
        } catch {
            guard error.cause.kind != .cancelled, (error.status ?? 0) < 500 else { throw error.cause }
            throw CredentialsFailure(error.cause.message, kind: .notConfigured)
        }
        let token = String(decoding: response.body, as: UTF8.self)
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CredentialsFailure("\(name), token: the answer is \(response.body.count) bytes that are not a token.")
        }
        return HTTPHeader("X-aws-ec2-metadata-token", token)
    }

    private func role(_ token: HTTPHeader) async throws(CredentialsFailure) -> String {
        let origin = "\(name), name of the role"
        let response: HTTPResponse
        do throws(MetadataRequest.Failure) {
            response = try await request(Self.rolePath, token, origin).send(by: transport)
        } catch {
            guard error.status == 404 else { throw error.cause }
            throw CredentialsFailure("\(name): this instance has no role.", kind: .notConfigured)
        }
        let text = String(decoding: response.body, as: UTF8.self)
        let role = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let isName = role.utf8.allSatisfy { byte in
            let character = Character(UnicodeScalar(byte))
            return byte < 128 && (character.isLetter || character.isNumber || "+=,.@_-".contains(character))
        }
        guard !role.isEmpty, isName else { throw CredentialsFailure("\(origin): the answer is no name.") }
        return role
    }

    private func request(_ path: String, _ token: HTTPHeader, _ origin: String) -> MetadataRequest {
        MetadataRequest(url: base + path, headers: [token], timeout: Self.timeout, origin: origin)
    }

    private var name: String { "Instance metadata at \(base)" }

    private static let rolePath = "/latest/meta-data/iam/security-credentials/"
    private static let timeout = Duration.seconds(1)
}
