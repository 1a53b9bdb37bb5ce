import AWSCore
import RecorderAWS
import RecorderConcurrency

/// Makes the caller of a recorder or a client when it is first needed, and keeps it.
///
/// Late, so that `default()` may be called and records saved before anything is configured.
final class ServiceCallers: Sendable {
    private let service: AWSService
    private let configuration: AWSServiceConfiguration?
    private let userAgentToken: String?
    private let made = Locked<AWSCaller?>(nil)

    /// Without a configuration, the default service configuration counts or, without one, the environment.
    init(_ service: AWSService, _ configuration: AWSServiceConfiguration?, userAgentToken: String? = nil) {
        self.service = service
        self.configuration = configuration
        self.userAgentToken = userAgentToken
    }

    func caller() throws(ConfigurationFailure) -> AWSCaller {
        if let caller = made.withLock({ $0 }) { return caller }
        let configuration = if let configuration { configuration } else { try AWSServiceConfiguration.resolved() }
        var call = try configuration.callConfiguration(for: service)
        if let userAgentToken { call.userAgent += " " + userAgentToken }
        let caller = AWSCaller(service, call)
        made.withLock { $0 = caller }
        return caller
    }
}
