import FileFollowing
import Glibc
import RecorderAWS
import RecorderStore

/// What the doctor examines: the settings, the store, the streams and the files of one service.
struct DoctorSetup {
    let session: Session
    let access: ServiceAccess
    let service: StreamServiceDescription
    var streams: [String] = []
    var flows: [FileFlow] = []
    /// Whether it is that of a unit, whose store may belong to another user than the one who asks.
    var isOfUnit = false
}

/// The set-ups that a command line stands for: this one's, those of an agent's configuration, or those of a unit of systemd.
struct DoctorSubject {
    private(set) var findings: [Finding] = []
    private(set) var setups: [DoctorSetup] = []

    init(_ session: Session) async {
        do throws(CommandFailure) {
            var subject = session
            if let name = session.invocation.value(.unit) {
                let unit = try await SystemdUnit(name, environment: session.environment)
                findings += [.ok("unit", text: unit.id)] + unit.findings
                subject = try Self.session(of: unit, for: session)
            }
            if let file = subject.invocation.value(.configuration) {
                try add(AgentConfiguration(file: file), of: file, in: subject)
            } else {
                try add(subject)
            }
            if session.invocation.has(.unit) { setups.indices.forEach { setups[$0].isOfUnit = true } }
        } catch {
            findings.append(.failure("set-up", text: error.message, status: error.status))
        }
    }

    /// The session of a unit's command; with this one's options if the unit runs another program.
    private static func session(of unit: SystemdUnit, for session: Session) throws(CommandFailure) -> Session {
        var invocation = session.invocation
        if let words = unit.words { invocation = try ArgumentParser.parse(words, by: session.table) }
        var access = try ServiceAccess(
            invocation,
            environment: unit.environment,
            transport: session.access.transport
        )
        access.isOffline = session.access.isOffline
        access.runsPrograms = geteuid() != 0 || unit.isOfRoot
        return Session(invocation, access: access, console: session.console, table: session.table)
    }

    private mutating func add(_ session: Session) throws(CommandFailure) {
        let arguments = session.invocation.arguments
        let commands = ["save", "follow", "doctor"]
        let services = session.invocation.command.name == "submit" ? session.services : [session.service]
        for service in services {
            _ = try session.sendingPolicy(for: service, of: services)
            var setup = DoctorSetup(session: session, access: session.access, service: service)
            if commands.contains(session.invocation.command.name) { setup.streams = Array(arguments.prefix(1)) }
            if session.invocation.command.name == "follow", let stream = arguments.first {
                let excluded = session.invocation.allValues(.exclude)
                setup.flows = [FileFlow(stream: stream, patterns: Array(arguments.dropFirst()), excluded: excluded)]
            }
            setups.append(setup)
        }
    }

    private mutating func add(
        _ configuration: AgentConfiguration,
        of file: String,
        in session: Session
    ) throws(CommandFailure) {
        findings.append(.ok("agent", text: "\(file): \(Formatting.counted(configuration.flows.count, "flow"))"))
        findings += configuration.warnings.map { .warning("agent", text: "\(file): \($0)") }
        for service in [StreamServiceDescription.kinesis, .firehose] {
            let flows = configuration.flows.filter { $0.destination.isKinesis == service.sendsPartitionKey }
            guard !flows.isEmpty else { continue }
            let access = try configuration.access(session.access, to: service)
            var setup = DoctorSetup(session: session, access: access, service: service)
            for flow in flows {
                let stream = flow.destination.stream
                if !setup.streams.contains(stream) { setup.streams.append(stream) }
                setup.flows.append(FileFlow(stream: stream, patterns: flow.patterns))
            }
            setups.append(setup)
        }
    }
}
