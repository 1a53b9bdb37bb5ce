import RecorderAWS
import RecorderConcurrency

/// Warns when an identity that had logins has none any more: without an error, a signed-in user would become a guest.
final class LoginsWatch: Sendable {
    private let hadLogins = Locked(false)

    /// Logs a warning if these logins are empty and the previous ones were not; once, until there are logins again.
    func check(_ logins: [String: String], of provider: String, poolID: String) {
        let areLost = hadLogins.withLock { hadLogins in
            defer { hadLogins = !logins.isEmpty }
            return hadLogins && logins.isEmpty
        }
        guard areLost else { return }
        RecorderLog.warning(
            "The \(provider) of the pool \(poolID.sanitized(limit: 128)) gave no logins, where it had given some before: "
                + "requests are now those of a guest. While the user is signed in, logins() must end with the logins or an "
                + "error, not with nil. When the user signs out, call clearKeychain()."
        )
    }

    /// After this, empty logins are expected: the user has signed out.
    func forget() {
        hadLogins.withLock { $0 = false }
    }
}
