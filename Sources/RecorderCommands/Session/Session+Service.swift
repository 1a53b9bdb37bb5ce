import RecorderAWS
import RecorderEngine
import RecorderHTTP

// How a session reaches the service.

extension Session {
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

    func callConfiguration(for service: AWSService) throws(ConfigurationFailure) -> CallConfiguration {
        let settings = try settings()
        guard let region = try settings.region() else {
            throw ConfigurationFailure("No region is set. Set AWS_REGION or give --region, as in --region eu-west-1.")
        }
        var configuration = CallConfiguration(
            region: region,
            endpoint: try settings.endpoint(for: service, in: region),
            credentials: credentialsSource(),
            timeouts: try timeouts(),
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

    /// The policy of a command that sends to one store.
    func sendingPolicy() throws(CommandFailure) -> RecorderPolicy { try sendingPolicy(for: service, of: [service]) }

    /// The policy for one of the services that a command sends to. Throws for wrong options, before anything is read or opened.
    func sendingPolicy(
        for service: StreamServiceDescription,
        of services: [StreamServiceDescription]
    ) throws(CommandFailure) -> RecorderPolicy {
        var policy = RecorderPolicy.standard
        policy.compressesRequests = invocation.has(.gzip)
        policy.requestFormat = try requestFormat()
        policy.keylessRecords = try keylessRecords()
        policy.sharedEntryBytes = try sharedEntryBytes(for: service, of: services)
        policy.assumesDistributionByKey = invocation.hasChoice(.aggregate)
        policy.keepsRejected = invocation.has(.keepRejected)
        policy.keepsOrder = invocation.has(.ordered)
        policy.streams = selection
        policy.batchByteLimit = try invocation.byteCount(.batchSize, atMost: largestBatch) ?? policy.batchByteLimit
        policy.maximumBytesPerSecond = try invocation.rate()
        _ = try invocation.timeouts()
        if let number = try invocation.number(.requests, from: 1) { policy.requestsPerStream = min(number, 64) }
        return policy
    }

    private var largestBatch: Int {
        services.map(\.maximumRequestBytes).max() ?? StreamServiceDescription.kinesis.maximumRequestBytes
    }

    private func keylessRecords() throws(CommandFailure) -> KeylessRecords {
        switch (invocation.has(.omitKeys), invocation.has(.randomKeys)) {
        case (false, false): return .withNumberedKeys
        case (true, false): return .withoutKeys
        case (false, true): return .withRandomKeys
        case (true, true):
            throw CommandFailure(.usage, message: "--omit-keys and --random-keys exclude each other. Give one of them.")
        }
    }

    private func requestFormat() throws(CommandFailure) -> RequestFormat {
        guard invocation.has(.cbor) else { return .json }
        guard !invocation.has(.firehose) || invocation.has(.onlyKinesis) else {
            throw CommandFailure(
                .usage,
                message: "--cbor: Firehose takes only JSON. Leave out this option or --firehose."
            )
        }
        return .cbor
    }

    private func timeouts() throws(ConfigurationFailure) -> HTTPTimeouts {
        do throws(CommandFailure) {
            return try invocation.timeouts()
        } catch {
            throw ConfigurationFailure(error.message)
        }
    }
}

extension Invocation {
    fileprivate func rate() throws(CommandFailure) -> Int? {
        guard let rate = try byteCount(.rate)?.bytes else { return nil }
        guard rate >= 1_024 else {
            throw CommandFailure(.usage, message: "--rate \(value(.rate) ?? ""): give at least 1K, bytes in a second.")
        }
        return rate
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
