import RecorderAWS
import RecorderEngine
import RecorderHTTP

// How a session reaches the service.

extension Session {
    /// A caller that starts no request after a signal.
    func caller(for service: AWSService) throws(ConfigurationFailure) -> AWSServiceCaller {
        var configuration = try callConfiguration(for: service)
        let stop = StopSignal.shared
        configuration.transport = StoppableTransport(transport: configuration.transport, stop: stop)
        configuration.pause = { try await stop.sleep(for: $0) }
        return AWSServiceCaller(service, configuration: configuration)
    }

    func callConfiguration(for service: AWSService) throws(ConfigurationFailure) -> CallConfiguration {
        let settings = try MachineSettings(environment)
        guard let region = try settings.region() else {
            throw ConfigurationFailure("No region is set. Set AWS_REGION or give --region, as in --region eu-west-1.")
        }
        var configuration = CallConfiguration(
            region: region,
            endpoint: try settings.endpoint(for: service, in: region),
            credentials: credentials(),
            timeouts: try timeouts(),
            userAgent: UserAgent.with(tokens: ["recorder", Program.name])
        )
        try configuration.apply(settings)
        return configuration
    }

    /// The region that requests go to; nil if none is set, or not correctly.
    var region: Region? { try? MachineSettings(environment).region() }

    func credentials() -> CredentialsChain {
        CredentialsChain(in: CredentialsContext(region: nil, environment: environment))
    }

    /// The policy of a command that sends. Throws for wrong options, before anything is read or opened.
    func sendingPolicy() throws(CommandFailure) -> RecorderPolicy {
        var policy = RecorderPolicy.commandLine
        policy.compressesRequests = invocation.has(.gzip)
        policy.requestFormat = try requestFormat()
        policy.omitsPartitionKeys = invocation.has(.omitKeys)
        policy.batchByteLimit = try invocation.byteCount(.batchSize, atMost: largestBatch) ?? policy.batchByteLimit
        _ = try invocation.timeouts()
        if let number = try invocation.number(.requests, from: 1) { policy.requestsPerStream = min(number, 64) }
        return policy
    }

    private var largestBatch: Int {
        services.map(\.maximumRequestBytes).max() ?? StreamServiceDescription.kinesis.maximumRequestBytes
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
    /// Waits before a retry. Throws `CancellationError` after a signal.
    fileprivate func sleep(for duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {
            guard number == nil else { throw CancellationError() }
            try await Task.sleep(until: min(end, .now + .milliseconds(100)))
        }
    }
}
