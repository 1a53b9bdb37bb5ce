import RecorderAWS
import RecorderHTTP
import RecorderStore

/// How a command reaches the services: what was typed, or is in the agent's configuration, and the environment.
struct ServiceAccess: Sendable {
    /// The variables of the process. Options that come before some of them are in `given`.
    let environment: [String: String]
    /// Sends the requests to Kinesis and Firehose.
    let transport: any HTTPTransport
    /// Region, profile and endpoints.
    var given: GivenSettings
    let timeouts: HTTPTimeouts
    /// Whether no request is sent.
    var isOffline: Bool
    /// Whether commands in the configuration that give credentials are run.
    var runsPrograms = true
    /// The keys to use instead of the machine's credentials.
    var keys: Credentials?
    /// The role that is assumed with these credentials; nil to use them as they are.
    var role: RoleSession?

    /// Throws for an option that cannot be used, an empty one included.
    init(
        _ invocation: Invocation,
        environment: [String: String],
        transport: any HTTPTransport
    ) throws(CommandFailure) {
        self.environment = environment
        self.transport = transport
        given = try invocation.givenSettings()
        timeouts = try invocation.timeouts()
        isOffline = invocation.has(.offline)
    }

    /// A caller that starts no request after a signal, by default with credentials of its own.
    func caller(
        for service: AWSService,
        credentials: (any CredentialsSource)? = nil,
        configuring configure: (inout CallConfiguration) -> Void = { _ in }
    ) throws(ConfigurationFailure) -> AWSServiceCaller {
        var configuration = try callConfiguration(for: service)
        if let credentials { configuration.credentials = credentials }
        configure(&configuration)
        let stop = StopSignal.shared
        configuration.transport = StoppableTransport(transport: configuration.transport, stop: stop)
        configuration.pause = { try await stop.sleep(for: $0) }
        return AWSServiceCaller(service, configuration: configuration)
    }

    /// Throws what would make every call of the service fail.
    func check(_ service: AWSService) throws(CommandFailure) {
        do throws(ConfigurationFailure) {
            _ = try caller(for: service)
        } catch {
            throw CommandFailure(.configuration(error))
        }
    }

    func callConfiguration(for service: AWSService) throws(ConfigurationFailure) -> CallConfiguration {
        let settings = try settings()
        guard let region = try settings.region() else {
            throw ConfigurationFailure("No region is set. Set AWS_REGION or give --region, as in --region eu-west-1.")
        }
        var configuration = CallConfiguration(
            region: region,
            endpoint: try settings.endpoint(for: service, in: region),
            credentials: credentialsSource(),
            timeouts: timeouts,
            userAgent: UserAgent.with(tokens: ["recorder", Program.name]),
            transport: transport
        )
        try configuration.apply(settings)
        return configuration
    }

    /// The settings of the machine and those that were given, read now.
    func settings() throws(ConfigurationFailure) -> MachineSettings {
        try MachineSettings(environment, given: given)
    }

    /// The region that requests go to; nil if none is set, or not correctly.
    var region: Region? { try? settings().region() }

    /// The machine's credentials.
    func credentials() -> CredentialsChain { CredentialsChain(in: credentialsContext) }

    /// The credentials of requests: those of the role, if there is one.
    func credentialsSource() -> any CredentialsSource {
        let own: any CredentialsSource = if let keys { StaticCredentials(keys) } else { credentials() }
        guard let role else { return own }
        return credentialsContext.cache(AssumedRoleCredentials(role, with: own, in: credentialsContext))
    }

    private var credentialsContext: CredentialsContext {
        var context = CredentialsContext(environment: environment, given: given)
        if isOffline { context.transport = OfflineTransport() }
        context.runsPrograms = runsPrograms
        return context
    }
}

extension Invocation {
    fileprivate func givenSettings() throws(CommandFailure) -> GivenSettings {
        var given = GivenSettings()
        given.profile = value(.profile)
        given.region = try setting(.region, Region.init)
        if let endpoint = try setting(.endpoint, Endpoint.init(url:)) {
            for service in [AWSService.kinesis, .firehose] { given.endpoints[service] = endpoint }
        }
        return given
    }

    private func setting<Value>(
        _ option: OptionSpec,
        _ parse: (String) throws(ConfigurationFailure) -> Value
    ) throws(CommandFailure) -> Value? {
        guard let text = value(option) else { return nil }
        do throws(ConfigurationFailure) {
            return try parse(text)
        } catch {
            throw CommandFailure(.configuration, message: "--\(option.name): \(error.message)")
        }
    }

    /// The default time limits, unless options give others.
    fileprivate func timeouts() throws(CommandFailure) -> HTTPTimeouts {
        let (minimum, maximum) = (Duration.seconds(1), Duration.seconds(7 * 86_400))
        var timeouts = HTTPTimeouts()
        if let stall = try duration(.readTimeout, from: minimum, to: maximum) {
            timeouts.stall = stall
            timeouts.connect = min(timeouts.connect, stall)
        }
        timeouts.total = try duration(.requestTimeout, from: minimum, to: maximum)
        return timeouts
    }
}

/// Keys may come from other machines: the metadata service, the Security Token Service.
private struct OfflineTransport: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        throw HTTPFailure(.other, "Nothing is sent, because of --offline.")
    }
}

/// Starts no request after a signal. Requests under way go on: `StoppableFlush` cancels them after a while.
private struct StoppableTransport: HTTPTransport {
    let transport: any HTTPTransport
    let stop: StopSignal

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard stop.number == nil else { throw HTTPFailure(.cancelled, "A signal came before the request.") }
        return try await transport.send(request)
    }
}

extension StopSignal {
    /// Waits before a retry. Throws `CancellationError` after a signal, which ends the wait.
    fileprivate func sleep(for duration: Duration) async throws {
        await pause(duration)
        guard number == nil else { throw CancellationError() }
    }
}
