import RecorderAWS
import RecorderEngine
import RecorderHTTP

/// What one run of the program has to do with: what was typed, the environment, where to print.
struct Session: Sendable {
    let invocation: Invocation
    /// With what was typed in place of what was set.
    let environment: [String: String]
    let console: Console

    init(_ invocation: Invocation, _ environment: [String: String], _ console: Console) {
        self.invocation = invocation
        self.console = console
        var environment = environment
        if let region = invocation.value(.region) { environment["AWS_REGION"] = region }
        if let profile = invocation.value(.profile) { environment["AWS_PROFILE"] = profile }
        if let url = invocation.value(.endpoint) {
            for service in [AWSService.kinesis, .firehose] { environment[service.endpointVariable] = url }
        }
        // The metadata service is another machine.
        if invocation.has(.offline) { environment["AWS_EC2_METADATA_DISABLED"] = "true" }
        self.environment = environment
    }

    // MARK: which store

    /// The service of a command that is about one.
    var service: StreamServiceDescription { invocation.has(.firehose) ? .firehose : .kinesis }

    /// The services of a command that is about both, unless told otherwise.
    var services: [StreamServiceDescription] {
        switch (invocation.has(.onlyKinesis), invocation.has(.onlyFirehose)) {
        case (true, false): [.kinesis]
        case (false, true): [.firehose]
        default: [.kinesis, .firehose]
        }
    }

    func location(of service: StreamServiceDescription) throws(CommandFailure) -> StoreLocation {
        return try CommandFailure.naming { () throws(RecorderError) in
            try StoreLocation(
                service: service.name,
                key: invocation.value(.key),
                directory: invocation.value(.directory),
                program: invocation.value(.name) ?? CommandTable.program,
                environment: environment
            )
        }
    }

    /// The stores of this command's services that exist. A path that leads nowhere is an error, and no empty store.
    func existingStores() throws(CommandFailure) -> [(service: StreamServiceDescription, location: StoreLocation)] {
        var found: [(StreamServiceDescription, StoreLocation)] = []
        for service in services {
            let location = try location(of: service)
            if Files.exists(location.path) {
                found.append((service, location))
            } else if let obstacle = StoreInspection.obstacle(in: location) {
                throw CommandFailure(.storage, "\(location.path) cannot be used: \(obstacle).")
            }
        }
        return found
    }

    func pipeline(
        _ service: StreamServiceDescription,
        _ policy: RecorderPolicy = .command,
        report: @escaping @Sendable (RecorderEvent) -> Void = { _ in }
    ) throws(CommandFailure) -> RecordPipeline {
        let location = try location(of: service)
        return RecordPipeline(
            service,
            RecordStore(at: { location }),
            policy,
            caller: { [self] () throws(RecorderError) in try caller(of: service.service) },
            report: report
        )
    }

    // MARK: where to send

    func caller(of service: AWSService) throws(RecorderError) -> AWSServiceCaller {
        do throws(ConfigurationFailure) {
            var configuration = try callConfiguration(for: service)
            let stop = StopSignal.shared
            configuration.transport = StoppableTransport(transport: configuration.transport, stop: stop)
            configuration.pause = { try await StoppableTransport.pause($0, stop) }
            return AWSServiceCaller(service, configuration)
        } catch {
            throw .configuration(error)
        }
    }

    func callConfiguration(for service: AWSService) throws(ConfigurationFailure) -> CallConfiguration {
        let settings = try MachineSettings(environment)
        guard let region = try settings.region() else {
            throw ConfigurationFailure("There is no region. Set AWS_REGION or give --region, as in --region eu-west-1.")
        }
        return CallConfiguration(
            region: region,
            endpoint: try settings.endpoint(for: service, in: region),
            credentials: credentials(),
            timeouts: try timeouts(),
            userAgent: UserAgent.with(tokens: ["recorder", CommandTable.program])
        )
    }

    private func timeouts() throws(ConfigurationFailure) -> HTTPTimeouts {
        do throws(CommandFailure) {
            return try HTTPTimeouts(invocation)
        } catch {
            throw ConfigurationFailure(error.message)
        }
    }

    func credentials() -> any CredentialsSource {
        CredentialsChain(in: CredentialsContext(region: nil, environment: environment))
    }

    // MARK: choices

    /// The policy of a command that sends.
    func sendingPolicy() throws(CommandFailure) -> RecorderPolicy {
        var policy = RecorderPolicy.command
        policy.compressesRequests = invocation.has(.gzip)
        // Refused before anything is read or opened.
        _ = try HTTPTimeouts(invocation)
        if let number = try number(.requests, atLeast: 1) { policy.requestsPerStream = min(number, 64) }
        return policy
    }

    func number(
        _ option: OptionSpec,
        atLeast minimum: Int,
        atMost maximum: Int = .max
    ) throws(CommandFailure) -> Int? {
        guard let text = invocation.value(option) else { return nil }
        guard let number = Int(text), (minimum...maximum).contains(number) else {
            let range = maximum == .max ? "\(minimum) on" : "\(minimum) to \(Formatting.count(maximum))"
            throw CommandFailure(.usage, "--\(option.name) \(text): give a number from \(range).")
        }
        return number
    }
}

extension RecorderPolicy {
    /// What the command line promises: records of up to 1,000 KiB, which both services take, and full requests.
    static let command: RecorderPolicy = {
        var policy = RecorderPolicy.legacy
        policy.maximumRecordBytes = 1_024_000
        policy.limits = DiskLimits(bytes: 1 << 30, age: .zero, notificationThreshold: 0)
        policy.batchByteLimit = 4 * 1_024 * 1_024
        return policy
    }()
}
