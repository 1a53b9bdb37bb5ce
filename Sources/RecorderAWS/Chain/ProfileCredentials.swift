import RecorderConcurrency

/// The credentials of the profile in use: keys in the profile, or the source that it describes.
///
/// The files are read at first use, and again after the service has refused the keys or there were none to be had, so that
/// changes to them apply without a restart; not after a service could not be reached. Safe to use from any thread.
package final class ProfileCredentials: CredentialsSource {
    private let context: CredentialsContext
    private let current = Locked<(any CredentialsSource)?>(nil)

    /// A source for the profile that was given, or that a variable names, or else `default`.
    package init(in context: CredentialsContext) {
        self.context = context
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        let source = try source()
        do {
            return try await source.credentials()
        } catch {
            // A service that is away says nothing about the files; the source may have keys that it asks for others with.
            if error.kind != .cancelled, !error.isTemporary { current.withLock { $0 = nil } }
            throw error
        }
    }

    package func invalidate() {
        current.withLock { $0.take() }?.invalidate()
    }

    private func source() throws(CredentialsFailure) -> any CredentialsSource {
        if let source = current.withLock({ $0 }) { return source }
        let found = try read()
        return current.withLock { current in
            // Another caller may have been first, and its source may already have keys.
            let source = current ?? found
            current = source
            return source
        }
    }

    private func read() throws(CredentialsFailure) -> any CredentialsSource {
        let files = try CredentialsFailure.translating(
            try SharedConfiguration(context.environment, profile: context.given.profile)
        )
        guard let profile = try CredentialsFailure.translating(try files.profileInUse()) else {
            throw CredentialsFailure("There is no profile \"default\" in \(files.locations).", kind: .notConfigured)
        }
        return try ProfileResolver(files: files, context: context).source(for: profile)
    }
}

extension ProfileCredentials: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
