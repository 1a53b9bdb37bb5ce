package import FoundationEssentials
package import RecorderHTTP

/// The external dependencies of credentials providers: environment variables, a region, a network, a clock.
///
/// Variables may be secrets, so neither description nor mirror shows them.
package struct CredentialsContext: Sendable {
    /// The environment variables; an empty one counts as missing.
    package var environment: [String: String]

    /// What the user set, which comes before the variables.
    package var given: GivenSettings

    /// The region of the Security Token Service; nil for the region in the machine's settings.
    package var region: Region?

    /// Whether `credential_process` is run. Not as root for another user's configuration.
    package var runsPrograms = true

    /// Sends the requests.
    package var transport: any HTTPTransport

    /// The wall clock.
    package var now: @Sendable () -> Date

    /// Waits before a retry; throws if the task is cancelled.
    package var pause: @Sendable (Duration) async throws -> Void

    /// A context; by default the variables are those of the process.
    package init(
        region: Region? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        given: GivenSettings = GivenSettings(),
        transport: any HTTPTransport = CurlTransport.shared,
        now: @escaping @Sendable () -> Date = { Date() },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.region = region
        self.environment = environment
        self.given = given
        self.transport = transport
        self.now = now
        self.pause = pause
    }

    /// A variable; nil if it is missing or empty.
    func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A cache of the keys of a fetcher, with this context's clock.
    package func cache(_ fetcher: any CredentialsFetcher) -> CredentialsCache {
        CredentialsCache(fetcher, now: now)
    }

    /// The Security Token Service, with calls signed by these credentials.
    func securityTokenService(
        signingWith credentials: any CredentialsSource = AnonymousCredentials()
    ) throws(CredentialsFailure) -> SecurityTokenService {
        let (region, endpoint) = try CredentialsFailure.translating(try securityTokenServiceEndpoint())
        return SecurityTokenService(
            region: region,
            endpoint: endpoint,
            credentials: credentials,
            transport: transport,
            now: now,
            pause: pause
        )
    }

    /// The machine's settings, read now.
    func settings() throws(ConfigurationFailure) -> MachineSettings { try MachineSettings(environment, given: given) }

    private func securityTokenServiceEndpoint() throws(ConfigurationFailure) -> (Region, Endpoint) {
        let settings = try settings()
        var region = region
        if region == nil { region = try settings.region() }
        guard let region else {
            throw ConfigurationFailure("Assuming a role needs a region: set AWS_REGION, or region in the profile.")
        }
        return (region, try settings.endpoint(for: .sts, in: region))
    }
}

extension CredentialsContext: CustomStringConvertible, CustomReflectable {
    package var description: String { "CredentialsContext(redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
