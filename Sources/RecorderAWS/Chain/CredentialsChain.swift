import RecorderConcurrency

/// The places where a machine may keep credentials, asked in turn until one has them.
///
/// 1. The environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`.
/// 2. A web identity: `AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`.
/// 3. The profile in use: `AWS_PROFILE`, `~/.aws/config`, `~/.aws/credentials`.
/// 4. A container's agent: `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI`, `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
/// 5. The metadata service of an EC2 instance.
///
/// A place that is set up and fails ends the search: nobody is to go on, unseen, with keys that were not meant. The place
/// that answered is asked alone from then on. No failure is remembered. Safe to use from any thread.
package final class CredentialsChain: CredentialsSource {
    private struct Link: Sendable {
        let name: String
        let source: any CredentialsSource
    }

    private let links: [Link]
    private let answering = Locked<Int?>(nil)

    /// The chain as it is above.
    package init(in context: CredentialsContext) {
        links = [
            Link(name: "environment", source: EnvironmentCredentials(context.environment)),
            Link(name: "web identity", source: WebIdentityCredentials(in: context)),
            Link(name: "profile", source: ProfileCredentials(in: context)),
            Link(name: "container", source: ContainerCredentials(in: context)),
            Link(name: "EC2 instance", source: InstanceMetadataCredentials(in: context)),
        ]
    }

    /// The place that gave the last keys; nil until there were any.
    package var origin: String? { answering.withLock { $0 }.map { links[$0].name } }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        if let index = answering.withLock({ $0 }) {
            do {
                return try await links[index].source.credentials()
            } catch {
                // Its settings may have gone; then the others count again.
                guard error.kind == .notConfigured else { throw error }
                answering.withLock { $0 = nil }
            }
        }
        return try await search()
    }

    package func invalidate() {
        guard let index = answering.withLock({ $0 }) else { return }
        links[index].source.invalidate()
    }

    private func search() async throws(CredentialsFailure) -> Credentials? {
        var reasons: [String] = []
        for (index, link) in links.enumerated() {
            do {
                let credentials = try await link.source.credentials()
                answering.withLock { $0 = index }
                return credentials
            } catch {
                guard error.kind == .notConfigured else { throw error }
                reasons.append("(\(index + 1)) \(link.name): \(error.message)")
            }
        }
        throw CredentialsFailure(
            "There are no credentials. Looked for in this order: \(reasons.joined(separator: " "))",
            kind: .notConfigured
        )
    }
}

extension CredentialsChain: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: []) }
}
