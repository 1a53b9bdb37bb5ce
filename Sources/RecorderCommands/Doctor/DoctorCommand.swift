import RecorderEngine

/// `doctor [STREAM]`: one line a check, and what to do about each that fails.
struct DoctorCommand: Sendable {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    func run() async -> ExitStatus {
        var status = ExitStatus.success
        func tell(_ findings: [Finding]) {
            for finding in findings {
                session.console.print(finding.line)
                if status == .success { status = finding.status }
            }
        }
        tell(MachineChecks(session).findings())
        let service = ServiceChecks(session)
        let (settings, caller) = service.settings()
        tell(settings)
        tell([await service.credentials()])
        if session.invocation.has(.offline) {
            session.console.print("not asked: the service (--offline)")
        } else if let caller {
            tell(await service.ask(caller))
        }
        session.console.print(status == .success ? "all is well." : "something has to be done; see FAIL above.")
        return status
    }
}
