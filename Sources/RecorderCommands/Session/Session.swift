import RecorderAWS
import RecorderEngine

/// One run of the program: what was typed, the environment, where to print.
struct Session: Sendable {
    let invocation: Invocation
    /// With the options in place of the variables they override.
    let environment: [String: String]
    let console: Console
    let table: CommandTable

    init(_ invocation: Invocation, environment: [String: String], console: Console, table: CommandTable) {
        self.invocation = invocation
        self.console = console
        self.table = table
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

    // MARK: stores

    /// The service of a command that works on one store.
    var service: StreamServiceDescription { invocation.has(.firehose) ? .firehose : .kinesis }

    /// The services of a command that works on both stores by default.
    var services: [StreamServiceDescription] {
        switch (invocation.has(.onlyKinesis), invocation.has(.onlyFirehose)) {
        case (true, false): [.kinesis]
        case (false, true): [.firehose]
        default: [.kinesis, .firehose]
        }
    }

    func location(of service: StreamServiceDescription) throws(CommandFailure) -> StoreLocation {
        try CommandFailure.wrapping(
            try StoreLocation(
                service: service.name,
                key: invocation.value(.key),
                directory: invocation.value(.directory),
                program: invocation.value(.name) ?? Program.name,
                environment: environment
            )
        )
    }

    /// The stores of `services` that exist. A path that cannot be followed is an error, not a missing store.
    func existingStores() throws(CommandFailure) -> [(service: StreamServiceDescription, location: StoreLocation)] {
        var found: [(StreamServiceDescription, StoreLocation)] = []
        for service in services {
            let location = try location(of: service)
            if Files.exists(location.path) {
                found.append((service, location))
            } else if let obstacle = StoreInspection.obstacle(in: location) {
                throw CommandFailure(.storage, message: "\(location.path) cannot be used: \(obstacle).")
            }
        }
        return found
    }

    func pipeline(
        for service: StreamServiceDescription,
        policy: RecorderPolicy = .commandLine,
        onEvent: @escaping @Sendable (RecorderEvent) -> Void = { _ in }
    ) throws(CommandFailure) -> RecordPipeline {
        let location = try location(of: service)
        @Sendable func caller() throws(ConfigurationFailure) -> AWSServiceCaller {
            try self.caller(for: service.service)
        }
        let region = region
        return RecordPipeline(
            service,
            store: RecordStore(at: { location }),
            policy: policy,
            caller: caller,
            region: { region },
            emit: onEvent
        )
    }
}

extension RecorderPolicy {
    /// Records of up to 1,000 KiB, which both services take, and requests as large as the services allow.
    static let commandLine: RecorderPolicy = {
        var policy = RecorderPolicy.legacy
        policy.maximumRecordBytes = 1_024_000
        policy.limits = DiskLimits(bytes: 1 << 30, age: .zero, notificationThreshold: 0)
        policy.batchByteLimit = 4 * 1_024 * 1_024
        return policy
    }()
}
