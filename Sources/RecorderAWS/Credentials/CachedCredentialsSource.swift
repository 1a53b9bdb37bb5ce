/// A source of temporary keys: all that it adds to a cache is how to fetch them.
protocol CachedCredentialsSource: CredentialsSource, CustomReflectable {
    /// Keeps the keys, and fetches new ones in time.
    var cache: CredentialsCache { get }
}

extension CachedCredentialsSource {
    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        try await cache.credentials()
    }

    package func invalidate() {
        cache.invalidate()
    }

    /// Shows nothing, since what is kept is secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
