import Glibc
import RecorderAWS
import RecorderEngine
import RecorderHTTP
import RecorderStore

/// One run of the program: what was typed, the environment, where to print.
struct Session: Sendable {
    let invocation: Invocation
    let access: ServiceAccess
    let console: Console
    let table: CommandTable

    init(
        _ invocation: Invocation,
        access: ServiceAccess,
        console: Console,
        table: CommandTable
    ) {
        self.invocation = invocation
        self.access = access
        self.console = console
        self.table = table
    }

    var environment: [String: String] { access.environment }

    var serviceManager: ServiceManager { ServiceManager(environment, console: console) }

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

    /// The streams that --stream names; nil for all.
    var selection: StreamSelection? {
        let names = invocation.allValues(.stream)
        return names.isEmpty ? nil : StreamSelection(names)
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

    /// The stores of `services` that exist. A path that cannot be followed is an error, not a missing store, and so is a
    /// directory that was typed and does not exist.
    func existingStores() throws(CommandFailure) -> [(service: StreamServiceDescription, location: StoreLocation)] {
        var found: [(StreamServiceDescription, StoreLocation)] = []
        for service in services {
            let location = try location(of: service)
            try checkDirectory(of: location)
            if Files.exists(location.path) {
                found.append((service, location))
            } else if let obstacle = StoreInspection.obstacle(in: location) {
                throw CommandFailure(.storage, message: "\(location.path) cannot be used: \(obstacle).")
            }
        }
        return found
    }

    /// Throws if --directory names a directory that does not exist: a command that stores nothing would find nothing in it.
    func checkDirectory(of location: StoreLocation) throws(CommandFailure) {
        guard invocation.has(.directory), !Files.exists(location.directory) else { return }
        let obstacle = StoreInspection.obstacle(in: location)
        throw CommandFailure(
            .storage,
            message: obstacle.map { "\(location.directory) cannot be used: \($0)." }
                ?? "The directory \(location.directory) does not exist. Check --directory."
        )
    }

    /// What to say where nothing is stored, or nothing of some streams: where that is, and the recorders beside it that have
    /// records.
    func nothingStored() throws(CommandFailure) -> String {
        let names = invocation.allValues(.stream)
        guard names.isEmpty else { return "nothing is stored for \(names.joined(separator: ", "))." }
        let directory = try location(of: service).directory
        let others = try storesOfOtherKeys()
        return "nothing is stored in \(directory)\(others.isEmpty ? "" : ", but \(others)")."
    }

    /// The records in the command's directory under other keys, as in `1 record under --key firehose`; empty if there are none.
    func storesOfOtherKeys(of chosen: [StreamServiceDescription]? = nil) throws(CommandFailure) -> String {
        let services = chosen ?? services
        let names = services.map(\.name)
        let own = try services.map { (service) throws(CommandFailure) in try location(of: service) }
        let files = StoreFile.all(in: own.first?.directory ?? "").filter { file in
            names.contains(file.service) && !own.contains { $0.fileName == file.location.fileName }
        }
        return files.compactMap { file in
            guard let records = try? StoreView(at: file.location).totals().records, records > 0 else {
                return nil
            }
            let store = file.option ?? file.location.fileName
            return "\(Formatting.records(records)) \(file.option == nil ? "in" : "under") \(store)"
        }.joined(separator: ", ")
    }

    /// Asks whether to remove something, unless --yes is given.
    func isConfirmed(_ question: String) throws(CommandFailure) -> Bool {
        if invocation.has(.yes) { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            let reason = "standard input is not a terminal, so there is no confirmation. Give --yes to remove."
            throw CommandFailure(.usage, message: "\(invocation.command.name): \(reason)")
        }
        console.ask("\(question) [y/N] ")
        let answer = readLine()?.lowercased()
        return answer == "y" || answer == "yes"
    }

    /// The pipeline of a service's store, which is the session's own unless another one is given.
    func pipeline(
        for service: StreamServiceDescription,
        at location: StoreLocation? = nil,
        policy: RecorderPolicy = .standard,
        access: ServiceAccess? = nil,
        onEvent: @escaping @Sendable (RecorderEvent) -> Void = { _ in },
        onAnswer: @escaping @Sendable (ServiceFailure?) -> Void = { _ in }
    ) throws(CommandFailure) -> RecordPipeline {
        let location = if let location { location } else { try self.location(of: service) }
        let access = access ?? self.access
        // One source for all flushes: temporary keys are fetched when they expire, not with each flush.
        let credentials = access.credentialsSource()
        @Sendable func caller() throws(ConfigurationFailure) -> AWSServiceCaller {
            try access.caller(for: service.service, credentials: credentials) { $0.onAnswer = onAnswer }
        }
        let region = access.region
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

extension RecordPipeline {
    /// What is stored in some streams, and their names; nil stands for all streams, whose names are left out.
    func stored(
        in selection: StreamSelection?
    ) throws(RecorderError) -> (records: Int, bytes: Int, streams: [String]) {
        guard let selection else {
            let totals = try totals()
            return (totals.records, totals.bytes, [])
        }
        let streams = try status().streams.filter { $0.records > 0 && selection.contains($0.name) }
        return (
            streams.reduce(0) { Formatting.sum($0, $1.records) }, streams.reduce(0) { Formatting.sum($0, $1.bytes) },
            streams.map(\.name.rawValue)
        )
    }
}
