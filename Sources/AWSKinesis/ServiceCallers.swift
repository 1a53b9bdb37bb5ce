import AWSCore
import RecorderAWS
import RecorderConcurrency
import RecorderEngine

/// Makes a recorder's caller at the first submit that has something to send, and keeps it.
///
/// Late, so that `default()` may be called and records saved before anything is configured.
final class ServiceCallers: Sendable {
    private let service: AWSService
    private let configuration: AWSServiceConfiguration?
    private let made = Locked<AWSCaller?>(nil)

    /// Without a configuration, the default service configuration counts or, without one, the environment.
    init(_ service: AWSService, _ configuration: AWSServiceConfiguration?) {
        self.service = service
        self.configuration = configuration
    }

    func caller() throws(RecorderError) -> AWSCaller {
        if let caller = made.withLock({ $0 }) { return caller }
        do throws(ConfigurationFailure) {
            let configuration = if let configuration { configuration } else { try AWSServiceConfiguration.resolved() }
            var call = try configuration.callConfiguration(for: service)
            call.userAgent += " recorder"
            let caller = AWSCaller(service, call)
            made.withLock { $0 = caller }
            return caller
        } catch {
            throw .configuration(error)
        }
    }
}
