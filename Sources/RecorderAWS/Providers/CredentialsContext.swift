package import Foundation
package import RecorderHTTP

/// What sources of credentials need from outside: variables, a region, a network, a clock.
///
/// The variables may be secrets, so neither description nor mirror shows them.
package struct CredentialsContext: Sendable {
    /// The environment's variables; an empty one counts as absent.
    package var environment: [String: String]

    /// The region whose Security Token Service is asked; nil for the machine's.
    package var region: Region?

    /// What carries the requests.
    package var transport: any HTTPTransport

    /// The wall clock.
    package var now: @Sendable () -> Date

    /// How a delay before a retry is spent; throws when the task is cancelled.
    package var pause: @Sendable (Duration) async throws -> Void

    /// A context; the variables are by default those of the process.
    package init(
        region: Region? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        transport: any HTTPTransport = CurlTransport.shared,
        now: @escaping @Sendable () -> Date = { Date() },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.region = region
        self.environment = environment
        self.transport = transport
        self.now = now
        self.pause = pause
    }

    /// A variable; nil if it is missing or empty.
    func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The Security Token Service, called with these keys.
    func securityTokenService(
        signingWith credentials: any CredentialsSource = AnonymousCredentials()
    ) throws(CredentialsFailure) -> SecurityTokenService {
        let (region, endpoint) = try CredentialsFailure.translating { () throws(ConfigurationFailure) in
            try securityTokenServicePlace()
        }
        return SecurityTokenService(
            region: region,
            endpoint: endpoint,
            credentials: credentials,
            transport: transport,
            now: now,
            pause: pause
        )
    }

    private func securityTokenServicePlace() throws(ConfigurationFailure) -> (Region, Endpoint) {
        let settings = try MachineSettings(environment)
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

extension CredentialsFailure {
    /// Does something with settings; those that cannot be used are a failure of the source. `origin` begins the message.
    static func translating<Value>(
        _ origin: String = "",
        _ work: () throws(ConfigurationFailure) -> Value
    ) throws(CredentialsFailure) -> Value {
        do {
            return try work()
        } catch {
            throw CredentialsFailure(origin + error.message)
        }
    }
}
