import FoundationEssentials
import RecorderHTTP

/// Keys of the EC2 instance's role, from its metadata service, version 2 only.
///
/// Version 1 is never used, because it answers any request that can be forwarded from the instance. Each request takes at
/// most a second. Proxies and redirects are never used. `AWS_EC2_METADATA_DISABLED=true` disables this provider.
package struct InstanceMetadataCredentials: CredentialsFetcher {
    private let context: CredentialsContext

    /// A fetcher for this instance.
    package init(in context: CredentialsContext) {
        self.context = context
    }

    package func fetch() async throws(CredentialsFailure) -> Credentials {
        guard context.variable("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else {
            throw CredentialsFailure("AWS_EC2_METADATA_DISABLED is true.", kind: .notConfigured)
        }
        let settings = try CredentialsFailure.translating(try context.settings())
        let endpoint = try CredentialsFailure.translating(try settings.instanceMetadataEndpoint())
        let service = InstanceMetadata(endpoint: endpoint, transport: context.transport)
        return Self.extended(try await service.credentials(now: context.now()), now: context.now())
    }

    /// Extends expired keys by 15 minutes. The metadata service returns expired keys during an outage, and services continue
    /// to accept them.
    private static func extended(_ credentials: Credentials, now: Date) -> Credentials {
        guard let end = credentials.expiration, end <= now else { return credentials }
        RecorderLog.warning("The instance metadata service returned expired keys; they are used anyway.")
        var extended = credentials
        extended.expiration = now + 900
        return extended
    }
}

/// Calls the metadata service of an EC2 instance: a token first, then the role's name, then its keys.
private struct InstanceMetadata: Sendable {
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
        let response = try await request(path, token: token, origin: origin).send(by: transport)
        return try CredentialsDocument.credentials(in: response, from: origin, now: now)
    }

    /// Without a service, or with one that does not know tokens, this is not an EC2 instance.
    private func token() async throws(CredentialsFailure) -> HTTPHeader {
        let headers = [HTTPHeader("X-aws-ec2-metadata-token-ttl-seconds", "300")]
        let url = base + "/latest/api/token"
        let request = MetadataRequest(.put, url: url, headers: headers, timeout: Self.timeout, origin: "\(name), token")
        let response: HTTPResponse
        do throws(CredentialsFailure) {
            response = try await request.send(by: transport)
        } catch {
            guard error.kind != .cancelled, error.underlying?.isBusy != true else { throw error }
            throw CredentialsFailure(error.message, kind: .notConfigured, underlying: error.underlying)
        }
        let token = String(decoding: response.body, as: UTF8.self)
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CredentialsFailure(
                "\(name), token: the response is \(response.body.count) bytes that are not a token."
            )
        }
        return HTTPHeader("X-aws-ec2-metadata-token", token)
    }

    private func role(_ token: HTTPHeader) async throws(CredentialsFailure) -> String {
        let origin = "\(name), name of the role"
        let response: HTTPResponse
        do throws(CredentialsFailure) {
            response = try await request(Self.rolePath, token: token, origin: origin).send(by: transport)
        } catch {
            guard error.underlying?.status == 404 else { throw error }
            throw CredentialsFailure("\(name): this instance has no role.", kind: .notConfigured)
        }
        let text = String(decoding: response.body, as: UTF8.self)
        let role = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let isName = role.utf8.allSatisfy { byte in
            let character = Character(UnicodeScalar(byte))
            return byte < 128 && (character.isLetter || character.isNumber || "+=,.@_-".contains(character))
        }
        guard !role.isEmpty, isName else { throw CredentialsFailure("\(origin): the response is not a name.") }
        return role
    }

    private func request(_ path: String, token: HTTPHeader, origin: String) -> MetadataRequest {
        MetadataRequest(url: base + path, headers: [token], timeout: Self.timeout, origin: origin)
    }

    private var name: String { "Instance metadata at \(base)" }

    private static let rolePath = "/latest/meta-data/iam/security-credentials/"
    private static let timeout = Duration.seconds(1)
}
