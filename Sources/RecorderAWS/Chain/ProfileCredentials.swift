import RecorderConcurrency

/// The keys of the profile in use: written there, or had in the way that the profile says.
///
/// The files are read at first use, and again after the service has refused the keys, so that a change to them counts
/// without a restart. Safe to use from any thread.
package final class ProfileCredentials: CredentialsSource {
    private let context: CredentialsContext
    private let current = Locked<(any CredentialsSource)?>(nil)

    /// A source for the profile that `AWS_PROFILE` names, or else `default`.
    package init(in context: CredentialsContext) {
        self.context = context
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        try await source().credentials()
    }

    package func invalidate() {
        current.withLock { $0.take() }?.invalidate()
    }

    private func source() throws(CredentialsFailure) -> any CredentialsSource {
        if let source = current.withLock({ $0 }) { return source }
        let found = try read()
        return current.withLock { current in
            // Another caller may have come first; its source may have fetched keys by now.
            let source = current ?? found
            current = source
            return source
        }
    }

    private func read() throws(CredentialsFailure) -> any CredentialsSource {
        let (files, profile) = try CredentialsFailure.translating { () throws(ConfigurationFailure) in
            let files = try SharedConfiguration(context.environment)
            return (files, try files.profileInUse())
        }
        guard let profile else {
            throw CredentialsFailure("There is no profile \"default\" in \(files.places).", kind: .notConfigured)
        }
        return try ProfileResolver(files: files, context: context).source(for: profile)
    }
}

extension ProfileCredentials: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
