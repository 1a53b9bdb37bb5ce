import Foundation

/// START HERE: from the words that were typed to the exit status.
package enum CommandLineTool {
    /// Must come before anything opens a file.
    package static func occupyStandardDescriptors() {
        Output.occupyStandardDescriptors()
    }

    /// Runs one command and returns the status to exit with; prints to standard output and standard error.
    package static func run(_ words: [String], environment: [String: String]) async -> Int32 {
        CoreDump.forbid()
        do {
            let invocation = try ArgumentParser.parse(words)
            let console = Console(quiet: invocation.has(.quiet), environment: environment)
            let session = Session(invocation, environment, console)
            do {
                return ending(try await invocation.command.run(session), console).rawValue
            } catch {
                return fail(error, console)
            }
        } catch {
            return fail(error, Console(quiet: false, environment: environment))
        }
    }

    /// A command whose output did not arrive has not done what it was asked for, whatever else it did.
    private static func ending(_ status: ExitStatus, _ console: Console) -> ExitStatus {
        guard let error = console.lostOutput ?? Output.errorOfClosing(STDOUT_FILENO) else { return status }
        // As with other programs: a reader that has enough (`| head`) is no error to be told of.
        let isUnwanted = error == EPIPE
        if !isUnwanted { console.error("standard output cannot be written: \(Files.problem(error)).") }
        guard status == .success else { return status }
        return isUnwanted ? .signal(SIGPIPE) : .storage
    }

    private static func fail(_ failure: CommandFailure, _ console: Console) -> Int32 {
        console.error(failure.message, hint: failure.hint)
        return failure.status.rawValue
    }
}
