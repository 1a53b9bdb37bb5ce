package import Foundation
package import RecorderHTTP

/// The two calls of the Security Token Service that trade what one has for the temporary keys of a role.
///
/// Nothing is kept; put a ``CredentialsCache`` in front. Safe to use from any thread.
package struct SecurityTokenService: Sendable {
    private let caller: AWSServiceCaller
    private let now: @Sendable () -> Date

    /// The service in a region, at `endpoint`, by default the region's public one.
    ///
    /// `credentials` sign AssumeRole; AssumeRoleWithWebIdentity goes unsigned and needs none.
    package init(
        region: Region,
        endpoint: Endpoint? = nil,
        credentials: any CredentialsSource = AnonymousCredentials(),
        transport: any HTTPTransport = CurlTransport.shared,
        now: @escaping @Sendable () -> Date = { Date() },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.now = now
        caller = AWSServiceCaller(
            .sts,
            CallConfiguration(
                region: region,
                endpoint: endpoint ?? .standard(for: .sts, in: region),
                credentials: credentials,
                timeouts: HTTPTimeouts(total: .seconds(120)),
                transport: transport,
                now: now,
                pause: pause
            )
        )
    }

    /// Keys of a role, for those whose keys this service was made with.
    package func assumeRole(_ session: RoleSession) async throws(CredentialsFailure) -> Credentials {
        try await keys("AssumeRole", session, with: [("ExternalId", session.externalID)])
    }

    /// Keys of a role, for the bearer of a token from an identity provider that the role trusts.
    package func assumeRoleWithWebIdentity(
        _ session: RoleSession,
        token: String
    ) async throws(CredentialsFailure) -> Credentials {
        try await keys("AssumeRoleWithWebIdentity", session, with: [("WebIdentityToken", token)])
    }

    private func keys(
        _ operation: String,
        _ session: RoleSession,
        with more: [(name: String, value: String?)]
    ) async throws(CredentialsFailure) -> Credentials {
        let form: [(name: String, value: String?)] = [
            ("Action", operation), ("Version", "2011-06-15"), ("RoleArn", session.roleARN),
            ("RoleSessionName", session.name),
            ("DurationSeconds", session.duration.map { String($0.components.seconds) }),
        ]
        do throws(ServiceFailure) {
            let secrets = more.compactMap(\.value)
            let response = try await caller.call(operation, body: Self.body(form + more), hiding: secrets)
            return try keys(in: response)
        } catch {
            throw CredentialsFailure(
                "\(operation) of the role \(Legible.text(session.roleARN, limit: 256)): \(error)",
                kind: error.kind == .cancelled ? .cancelled : .failed,
                underlying: error
            )
        }
    }

    /// The keys of an answer; nothing of it is quoted if they are not there.
    private func keys(in response: HTTPResponse) throws(ServiceFailure) -> Credentials {
        let limit = 64 << 10
        let text = String(decoding: response.body.prefix(limit), as: UTF8.self)
        let keys = XMLText.element("Credentials", in: text) ?? ""
        func value(_ name: String) -> String? {
            XMLText.element(name, in: keys).map(XMLText.unescaped).flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let id = value("AccessKeyId"), let secret = value("SecretAccessKey"), let token = value("SessionToken"),
            let expiration = value("Expiration").flatMap(UTCTime.init(iso8601:))?.date
        else {
            let message = "The answer is not the XML that it should be (\(response.body.count) bytes)."
            throw ServiceFailure(.unreadable, message: message, status: response.status)
        }
        return Credentials(
            accessKeyID: id,
            secretAccessKey: secret,
            sessionToken: token,
            expiration: response.ownTime(of: expiration, now: now())
        )
    }

    /// The fields that have a value, as a form.
    private static func body(_ fields: [(name: String, value: String?)]) -> [UInt8] {
        let pairs = fields.compactMap { field in field.value.map { "\(field.name)=\(escaped($0))" } }
        return Array(pairs.joined(separator: "&").utf8)
    }

    private static func escaped(_ value: String) -> String {
        value.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber) || "-._~".contains(character)
            return isPlain ? String(character) : "%" + Digest.hex([byte]).uppercased()
        }.joined()
    }
}
