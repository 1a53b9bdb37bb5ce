package import FoundationEssentials

/// Keys that never change.
package struct StaticCredentials: CredentialsSource {
    private let given: Credentials

    /// A source that always returns these keys.
    package init(_ credentials: Credentials) {
        given = credentials
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? { given }

    package func invalidate() {}
}

/// No keys: requests go unsigned.
package struct AnonymousCredentials: CredentialsSource {
    /// A source that always returns nil.
    package init() {}

    package func credentials() async throws(CredentialsFailure) -> Credentials? { nil }

    package func invalidate() {}
}

/// Keys from `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for temporary ones, `AWS_SESSION_TOKEN` and
/// `AWS_CREDENTIAL_EXPIRATION`; their account from `AWS_ACCOUNT_ID`.
///
/// The variables are read once, by the initializer. An empty one counts as missing. Keys that have expired are an error.
package struct EnvironmentCredentials: CredentialsSource {
    private let found: Result<Credentials, CredentialsFailure>
    private let now: @Sendable () -> Date

    /// A source that reads these variables, by default those of the process.
    package init(
        _ environment: [String: String] = ProcessInfo.processInfo.environment,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        found = Self.read(environment)
        self.now = now
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        let credentials = try found.get()
        if let end = credentials.expiration, end <= now() {
            throw CredentialsFailure(
                "\(Self.expiration): the keys in the environment expired on \(end). Renew them and start the program anew, or let "
                    + "it renew them itself, by a profile with credential_process or a role."
            )
        }
        return credentials
    }

    package func invalidate() {}

    private static let expiration = "AWS_CREDENTIAL_EXPIRATION"

    private static func read(_ environment: [String: String]) -> Result<Credentials, CredentialsFailure> {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        switch (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY")) {
        case (let id?, let secret?):
            let end = value(expiration).map { UTCTime(iso8601: $0)?.date }
            if case .some(nil) = end {
                return .failure(
                    CredentialsFailure("\(expiration) is not a time in ISO 8601, such as 2026-03-01T12:36:00Z.")
                )
            }
            return .success(
                Credentials(
                    accessKeyID: id,
                    secretAccessKey: secret,
                    sessionToken: value("AWS_SESSION_TOKEN"),
                    expiration: end ?? nil,
                    accountID: value("AWS_ACCOUNT_ID")
                )
            )
        case (nil, nil):
            return .failure(
                CredentialsFailure("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set.", kind: .notConfigured)
            )
        case (_?, nil):
            return .failure(CredentialsFailure("AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY: set both."))
        case (nil, _?):
            return .failure(CredentialsFailure("AWS_SECRET_ACCESS_KEY is set without AWS_ACCESS_KEY_ID: set both."))
        }
    }
}
