package import RecorderAWS
import RecorderConcurrency
package import RecorderConfiguration

/// Creates the caller of a recorder or a client on first use, and keeps it.
///
/// This allows `default()` to be called, and records to be saved, before anything is configured.
package final class ServiceCallers: Sendable {
    private let service: AWSService
    private let section: String
    private let given: AWSServiceConfiguration?
    private let userAgentToken: String?
    private let made = Locked<AWSServiceCaller?>(nil)

    /// If the configuration is nil, that of the section in `AWSInfo` is used, otherwise the default service configuration,
    /// otherwise the machine's.
    package init(
        _ service: AWSService,
        section: String,
        configuration: AWSServiceConfiguration?,
        userAgentToken: String? = nil
    ) {
        self.service = service
        self.section = section
        given = configuration
        self.userAgentToken = userAgentToken
    }

    /// A caller that exists already.
    package convenience init(_ caller: AWSServiceCaller, for service: AWSService) {
        self.init(service, section: "", configuration: nil)
        made.withLock { $0 = caller }
    }

    /// The configuration that was given, otherwise the one that the first call would use now.
    package func configuration() throws(ConfigurationFailure) -> AWSServiceConfiguration {
        if let given { given } else { try AWSServiceConfiguration.resolved(for: section) }
    }

    /// The region of the configuration that the first call would use now; nil if there is none.
    package func region() -> Region? {
        if let caller = made.withLock({ $0 }) { return caller.region }
        return (try? configuration().regionName).flatMap { try? Region($0) }
    }

    package func caller() throws(ConfigurationFailure) -> AWSServiceCaller {
        if let caller = made.withLock({ $0 }) { return caller }
        var call = try configuration().callConfiguration(for: service)
        if let userAgentToken { call.userAgent += " " + userAgentToken }
        let caller = AWSServiceCaller(service, configuration: call)
        // Of two first calls at the same time, both use one caller, which has the retry quota and the clock correction.
        return made.withLock { made in
            if made == nil { made = caller }
            return made ?? caller
        }
    }
}
