import RecorderConcurrency

/// The default credentials of a machine: the providers below in this order, until one is configured.
///
/// 1. The environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_CREDENTIAL_EXPIRATION`.
/// 2. A web identity: `AWS_WEB_IDENTITY_TOKEN_FILE`, `AWS_ROLE_ARN`.
/// 3. The profile in use: `AWS_DEFAULT_PROFILE`, `AWS_PROFILE`, `~/.aws/config`, `~/.aws/credentials`.
/// 4. A device's certificate, by AWS IoT: `AWS_IOT_CORE_CREDENTIAL_ENDPOINT` and the variables that belong to it, which other
///    software on a device uses, too.
/// 5. A container's agent: `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI`, `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
/// 6. The metadata service of an EC2 instance.
///
/// 1, 2 and 4 are left out if the user gave a profile, as by `--profile`: variables may have keys of another account.
///
/// If a configured provider fails, the search ends with its error instead of silently using other keys than the intended
/// ones. After the first success only that provider is used. Failures are not cached. Safe to use from any thread.
package final class CredentialsChain: CredentialsSource {
    private struct Link: Sendable {
        let name: String
        let source: any CredentialsSource

        func credentials() async throws(CredentialsFailure) -> Credentials? {
            let found = try await source.credentials()
            try found?.check(" (\(name))")
            return found
        }
    }

    private let links: [Link]
    private let selected = Locked<Int?>(nil)

    /// The chain for this context.
    package init(in context: CredentialsContext) {
        let profile = Link(name: "profile", source: ProfileCredentials(in: context))
        let machine = [
            Link(name: "container", source: context.cache(ContainerCredentials(in: context))),
            Link(name: "EC2 instance", source: context.cache(InstanceMetadataCredentials(in: context))),
        ]
        guard context.given.profile == nil else {
            links = [profile] + machine
            return
        }
        let variables = [
            Link(name: "environment", source: EnvironmentCredentials(context.environment, now: context.now)),
            Link(name: "web identity", source: context.cache(WebIdentityCredentials(in: context))),
        ]
        let device = Link(name: "AWS IoT", source: context.cache(IoTCredentials(in: context)))
        links = variables + [profile, device] + machine
    }

    /// The name of the provider of the last keys; nil before the first ones.
    package var origin: String? { selected.withLock { $0 }.map { links[$0].name } }

    package func credentials() async throws(CredentialsFailure) -> Credentials? {
        if let index = selected.withLock({ $0 }) {
            do {
                return try await links[index].credentials()
            } catch {
                // Its settings may have been removed. Then the others are asked again.
                guard error.kind == .notConfigured else { throw error }
                selected.withLock { $0 = nil }
            }
        }
        return try await search()
    }

    package func invalidate() {
        guard let index = selected.withLock({ $0 }) else { return }
        links[index].source.invalidate()
    }

    private func search() async throws(CredentialsFailure) -> Credentials? {
        var reasons: [String] = []
        for (index, link) in links.enumerated() {
            do {
                let credentials = try await link.credentials()
                selected.withLock { $0 = index }
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
