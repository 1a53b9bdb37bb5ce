package import struct FoundationEssentials.Date

/// The keys that sign requests. No description, debug text or mirror shows any of them.
package struct Credentials: Sendable, Equatable {
    /// The public half of the key pair.
    package var accessKeyID: String

    /// The secret half of the key pair.
    package var secretAccessKey: String

    /// The session token of temporary credentials.
    package var sessionToken: String?

    /// When the keys expire, by this machine's clock; nil if they do not.
    package var expiration: Date?

    /// The ID of the account that the keys belong to, if their provider tells it. Not validated: most hosts do not need it.
    package var accountID: String?

    /// Credentials.
    package init(
        accessKeyID: String,
        secretAccessKey: String,
        sessionToken: String? = nil,
        expiration: Date? = nil,
        accountID: String? = nil
    ) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expiration = expiration
        self.accountID = accountID
    }
}

extension Credentials {
    /// Whether requests are signed alike. A provider may name another expiration for the same keys each time.
    static func haveSameKeys(_ some: Credentials?, _ others: Credentials?) -> Bool {
        guard let some, let others else { return some == nil && others == nil }
        return some.accessKeyID == others.accessKeyID && some.secretAccessKey == others.secretAccessKey
            && some.sessionToken == others.sessionToken
    }

    /// Throws for keys that cannot stand in a request. `origin` is where they come from, as in "of the environment".
    func check(_ origin: String = "") throws(CredentialsFailure) {
        for (name, key) in [
            ("access key ID", accessKeyID), ("secret access key", secretAccessKey),
            ("session token", sessionToken ?? ""),
        ] where !key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            let what =
                key.utf8.contains { $0 == 0x0A || $0 == 0x0D }
                ? "a line end" : "a control character, or one that is not ASCII,"
            throw CredentialsFailure("The \(name)\(origin) has \(what) in it. Set it without that.")
        }
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "Credentials(redacted)" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Supplies the keys for a call.
package protocol CredentialsSource: Sendable {
    /// Keys that are valid now; nil for an unsigned request.
    func credentials() async throws(CredentialsFailure) -> Credentials?

    /// Drops cached keys, because the service refused them. Never blocks.
    func invalidate()
}
