import Glibc
import RecorderAWS
package import RecorderConcurrency
package import RecorderHTTP

/// START HERE: runs one command line, from its words to the exit status.
package enum CommandLineTool {
    /// In the order of the help text.
    private static let commands: [any Command.Type] = [
        SaveCommand.self, FollowCommand.self, AgentCommand.self, SubmitCommand.self, StatusCommand.self,
        ListCommand.self,
        PeekCommand.self, ExportCommand.self, VerifyCommand.self, RejectedCommand.self, ClearCommand.self,
        ImportCommand.self,
        AuditCommand.self, DoctorCommand.self, CompletionsCommand.self, HelpCommand.self, VersionCommand.self,
    ]

    package static let table = CommandTable(commands: commands.map { $0.spec })

    /// Where a command's tasks run, one at a time. Threads of dispatch would wake the process once a second for as long as it runs,
    /// and ask for a priority that only privileged users get, with a line in the system's log about that.
    package static let executor = StoreExecutor()

    /// Must be called before anything opens a file or starts a thread. Returns the status to exit with, if the program cannot
    /// run.
    package static func prepareProcess() -> Int32? {
        OwnDescriptors.occupyStandard()
        // Beyond a limit on file sizes a write fails with a reason, instead of ending the process without a word.
        signal(SIGXFSZ, SIG_IGN)
        ProcessSetup.disableCoreDumps()
        ProcessSetup.useOneArena()
        do throws(ThreadShortage) {
            guard hasThreads(ProcessSetup.threads()) else { throw ThreadShortage() }
            // For the command's tasks, until the process ends.
            try executor.keepThread()
            return nil
        } catch {
            printError("\(Program.name): \(error.message)")
            return ExitStatus.tryLater.rawValue
        }
    }

    /// Prints a line to standard error.
    package static func printError(_ line: String) {
        Output.write("\(line)\n", to: STDERR_FILENO)
    }

    /// Runs one command and returns the status to exit with. Prints to standard output and standard error. `transport` sends the
    /// requests to Kinesis and Firehose.
    package static func run(
        _ words: [String],
        environment: [String: String],
        transport: any HTTPTransport = CurlTransport.shared
    ) async -> Int32 {
        var console = Console(LogStyle(environment: environment), environment: environment)
        do throws(CommandFailure) {
            let invocation = try ArgumentParser.parse(words, by: table)
            console = try Self.console(for: invocation, environment)
            if invocation.runsUntilStopped { ignoreHangUps(console) }
            let access = try ServiceAccess(invocation, environment: environment, transport: transport)
            let session = Session(invocation, access: access, console: console, table: table)
            guard let command = commands.first(where: { $0.spec.name == invocation.command.name }) else {
                preconditionFailure("the parser returns commands of the table only")
            }
            return exitStatus(of: try await command.run(in: session), console).rawValue
        } catch {
            console.error(error.message, hint: error.hint)
            return error.status.rawValue
        }
    }

    /// Where the command prints, which is also where the log goes: warnings, and with --verbose what is sent.
    private static func console(
        for invocation: Invocation,
        _ environment: [String: String]
    ) throws(CommandFailure) -> Console {
        let console = Console(
            try invocation.logStyle(environment: environment),
            quiet: invocation.has(.quiet),
            printsJSON: invocation.has(.summary),
            environment: environment
        )
        let isVerbose = invocation.has(.verbose)
        RecorderLog.listen(
            as: "command line",
            wants: { level in level == .warning || isVerbose && level <= .debug },
            take: { level, line in console.log(line, level) }
        )
        return console
    }

    private static func ignoreHangUps(_ console: Console) {
        StopSignal.shared.onHangUp {
            console.warning(
                "SIGHUP is ignored: settings are read at the start only. Restart the command to change them."
            )
        }
    }

    /// A command whose output was not written has failed, even if its work is done.
    private static func exitStatus(of status: ExitStatus, _ console: Console) -> ExitStatus {
        guard let error = console.lostOutput ?? Output.errorOfClosing(STDOUT_FILENO) else {
            return status == .success && RecorderLog.hasFault ? .internalError : status
        }
        // As other programs do, print nothing about a reader that closed the pipe early (`| head`).
        let isClosedPipe = error == EPIPE
        if !isClosedPipe { console.error("standard output cannot be written: \(String(errorNumber: error)).") }
        guard status == .success else { return status }
        return isClosedPipe ? .signal(SIGPIPE) : .storage
    }
}
