/// A command: how it is typed, and what it does.
protocol Command: Sendable {
    static var spec: CommandSpec { get }

    init(session: Session) throws(CommandFailure)

    func run() async throws(CommandFailure) -> ExitStatus
}

extension Command {
    static func run(in session: Session) async throws(CommandFailure) -> ExitStatus {
        try await Self(session: session).run()
    }
}
