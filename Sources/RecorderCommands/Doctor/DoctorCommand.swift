/// `doctor [STREAM]`: one line for each check, and what to do about each failure.
struct DoctorCommand: Command {
    static let spec = CommandSpec(
        name: "doctor",
        summary: "check this machine and the connection to the service",
        arguments: [.init(name: "STREAM", isOptional: true)],
        options: [.firehose, .configuration, .unit, .offline] + OptionSpec.store + OptionSpec.service,
        details: """
            Checks the directory, the store, the libraries, region, endpoint, credentials and clock, and changes nothing. \
            Without STREAM it sends one read-only request to the service (ListStreams or ListDeliveryStreams). With STREAM, a name or an ARN, it \
            checks that the credentials may send to that stream, and needs no other permission: Kinesis is asked by a \
            dry run of PutRecords, which writes nothing; Firehose, which has none, by PutRecordBatch without records. \
            An emulator that does not know dry runs takes an empty record, and a line says so. The maximum size of the \
            stream's records is shown if the credentials may describe the stream.

            --configuration checks an agent's file instead: its settings, its files and each of its streams. --unit checks a \
            service of systemd as it would be started: its Environment= and EnvironmentFile=, and what its command names; \
            whether its user may read the files is not checked.

            Each line begins with ok, warn or FAIL, and says below what to do. The exit status is that of the first \
            FAIL; 0 if there is none.
            """,
        examples: [
            .init(line: "kinesis-recorder doctor app", meaning: "before the first record of the stream app"),
            .init(
                line: "sudo kinesis-recorder doctor --unit kinesis-recorder-agent",
                meaning: "what the unit of the package would find"
            ),
        ]
    )

    private let session: Session

    init(session: Session) throws(CommandFailure) {
        self.session = session
        try session.invocation.checkExclusion(of: [.configuration, .unit], andArgument: true)
    }

    func run() async -> ExitStatus {
        var status = ExitStatus.success
        var hasWarnings = false
        func show(_ findings: [Finding]) {
            for finding in findings {
                session.console.print(finding.line)
                if status == .success { status = finding.status }
                hasWarnings = hasWarnings || finding.grade == .warning
            }
        }
        show([.ok("program", text: Program.versionLine)] + LibraryChecks.loaded.findings)
        let subject = await DoctorSubject(session)
        show(subject.findings)
        for setup in subject.setups {
            show(MachineChecks(setup).findings())
            show(setup.flows.flatMap(FileChecks.findings))
            let service = ServiceChecks(setup)
            let (settings, caller) = service.settings()
            show(settings)
            show([await service.credentials()])
            guard !session.invocation.has(.offline) else { continue }
            if let caller { show(await service.call(caller)) }
        }
        if session.invocation.has(.offline) { session.console.print("the service was not checked (--offline)") }
        let summary = hasWarnings ? "no problems found, but see warn above." : "no problems found."
        session.console.print(status == .success ? summary : "problems found: see FAIL above.")
        return status
    }
}

extension OptionSpec {
    static let unit = OptionSpec(
        "unit",
        letter: "u",
        value: "UNIT",
        help: "check a service of systemd, such as kinesis-recorder-agent or kinesis-recorder-follow@clicks"
    )
}

/// The result of one check.
package struct Finding: Sendable {
    enum Grade: String, Sendable {
        case ok = "ok  "
        case warning = "warn"
        case failure = "FAIL"
    }

    let grade: Grade
    let topic: String
    let text: String
    /// What to do about it.
    let advice: String?
    /// The exit status of the program, for a failure.
    let status: ExitStatus

    static func ok(_ topic: String, text: String) -> Finding {
        Finding(grade: .ok, topic: topic, text: text, advice: nil, status: .success)
    }

    static func warning(_ topic: String, text: String, advice: String? = nil) -> Finding {
        Finding(grade: .warning, topic: topic, text: text, advice: advice, status: .success)
    }

    static func failure(_ topic: String, text: String, advice: String? = nil, status: ExitStatus) -> Finding {
        Finding(grade: .failure, topic: topic, text: text, advice: advice, status: status)
    }

    package var line: String {
        let blanks = String(repeating: " ", count: max(12 - topic.count, 1))
        return "\(grade.rawValue)  \(topic)\(blanks)\(Visible.line(text))"
            + (advice.map { "\n                  -> \(Visible.line($0))" } ?? "")
    }
}
