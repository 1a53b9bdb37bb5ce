import Foundation

/// START HERE: from the words that were typed to the exit status.
package enum CommandLineTool {
    /// Runs one command and returns the status to exit with; prints to standard output and standard error.
    package static func run(_ words: [String], environment: [String: String]) async -> Int32 {
        CoreDump.forbid()
        do {
            let invocation = try ArgumentParser.parse(words)
            let console = Console(quiet: invocation.has(.quiet), environment: environment)
            let session = Session(invocation, environment, console)
            do {
                return try await invocation.command.run(session).rawValue
            } catch {
                return fail(error, console)
            }
        } catch {
            return fail(error, Console(quiet: false, environment: environment))
        }
    }

    private static func fail(_ failure: CommandFailure, _ console: Console) -> Int32 {
        console.error(failure.message)
        return failure.status.rawValue
    }
}
