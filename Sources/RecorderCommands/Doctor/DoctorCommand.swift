import RecorderEngine

/// `doctor [STREAM]`: one line for each check, and what to do about each failure.
struct DoctorCommand: Command {
    static let spec = CommandSpec(
        name: "doctor",
        summary: "check this machine and the connection to the service",
        arguments: [.init(name: "STREAM", isOptional: true)],
        options: [.firehose, .offline] + OptionSpec.store + OptionSpec.service,
        details: """
            Checks the directory, the libraries, region, endpoint, credentials and clock. Without STREAM it sends one \
            read-only request to the service (ListStreams or ListDeliveryStreams). With STREAM, a name or an ARN, it \
            checks that the credentials may send to that stream, and needs no other permission: Kinesis is asked by a \
            dry run of PutRecords, which writes nothing; Firehose, which has none, by PutRecordBatch without records. \
            An emulator that does not know dry runs takes an empty record, and a line says so. The maximum size of the \
            stream's records is shown if the credentials may describe the stream.
            """,
        examples: [
            .init(line: "kinesis-recorder doctor app", meaning: "before the first record of the stream app")
        ]
    )

    private let session: Session

    init(_ session: Session) {
        self.session = session
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
        show(MachineChecks(session).findings())
        let service = ServiceChecks(session)
        let (settings, caller) = service.settings()
        show(settings)
        show([await service.credentials()])
        if session.invocation.has(.offline) {
            session.console.print("the service was not checked (--offline)")
        } else if let caller {
            show(await service.call(caller))
        }
        let summary = hasWarnings ? "no problems found, but see warn above." : "no problems found."
        session.console.print(status == .success ? summary : "problems found: see FAIL above.")
        return status
    }
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
