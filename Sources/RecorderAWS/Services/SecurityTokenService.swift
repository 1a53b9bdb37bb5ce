package import FoundationEssentials
package import RecorderHTTP

/// Calls the Security Token Service for the temporary keys of a role.
///
/// Nothing is cached; use a ``CredentialsCache`` for that. Safe to use from any thread.
package struct SecurityTokenService: Sendable {
    private let caller: AWSServiceCaller
    private let now: @Sendable () -> Date

    /// The service in a region; `endpoint` is by default the region's public one.
    ///
    /// `credentials` sign `AssumeRole`. `AssumeRoleWithWebIdentity` is unsigned and needs none.
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
            configuration: CallConfiguration(
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

    /// Keys of a role, for the holder of this service's credentials.
    package func assumeRole(_ session: RoleSession) async throws(CredentialsFailure) -> Credentials {
        try await keys("AssumeRole", of: session, with: ("ExternalId", session.externalID))
    }

    /// Keys of a role, for the holder of a token from an identity provider that the role trusts.
    package func assumeRoleWithWebIdentity(
        _ session: RoleSession,
        token: String
    ) async throws(CredentialsFailure) -> Credentials {
        try await keys("AssumeRoleWithWebIdentity", of: session, with: ("WebIdentityToken", token))
    }

    private func keys(
        _ operation: String,
        of session: RoleSession,
        with secret: (name: String, value: String?)
    ) async throws(CredentialsFailure) -> Credentials {
        let form: [(name: String, value: String?)] = [
            ("Action", operation), ("Version", "2011-06-15"), ("RoleArn", session.roleARN),
            ("RoleSessionName", session.name),
            ("DurationSeconds", session.duration.map { String($0.components.seconds) }), secret,
        ]
        do throws(ServiceFailure) {
            let secrets = [secret.value].compactMap(\.self)
            let request = CallRequest(operation, body: Self.body(form), redacting: secrets)
            return try keys(in: try await caller.call(request))
        } catch {
            throw CredentialsFailure(
                "\(operation) of the role \(session.roleARN.sanitized(limit: 256)): \(error)",
                kind: error.kind == .cancelled ? .cancelled : .failed,
                underlying: error
            )
        }
    }

    /// The keys in a response. Errors quote none of it.
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
            let message = "The response is not the expected XML (\(response.body.count) bytes)."
            throw ServiceFailure(.unreadable, message: message, status: response.status)
        }
        return Credentials(
            accessKeyID: id,
            secretAccessKey: secret,
            sessionToken: token,
            expiration: response.localTime(of: expiration, now: now()),
            accountID: XMLText.element("AssumedRoleUser", in: text).flatMap { XMLText.element("Arn", in: $0) }
                .flatMap { AWSResourceName(XMLText.unescaped($0))?.account }.flatMap { $0.isEmpty ? nil : $0 }
        )
    }

    /// The fields with a value, as a URL-encoded form.
    private static func body(_ fields: [(name: String, value: String?)]) -> [UInt8] {
        let pairs = fields.compactMap { field in field.value.map { "\(field.name)=\($0.formEscaped)" } }
        return Array(pairs.joined(separator: "&").utf8)
    }
}

/// A role to assume, and the parameters of the session.
package struct RoleSession: Sendable, Equatable {
    /// The role's ARN.
    package var roleARN: String

    /// The session's name in the account's logs: 2 to 64 of letters, digits and `+=,.@-_`.
    package var name: String

    /// How long the keys are valid; nil for the service's default, one hour.
    package var duration: Duration?

    /// The id that the role's owner may require from other accounts. Only for `AssumeRole`.
    package var externalID: String?

    /// A session; the default name contains the current time.
    package init(roleARN: String, name: String? = nil, duration: Duration? = nil, externalID: String? = nil) {
        self.roleARN = roleARN
        self.name = name ?? "swift-aws-recorder-\(Int(Date().timeIntervalSince1970))"
        self.duration = duration
        self.externalID = externalID
    }
}
