import FoundationEssentials
import Glibc
import RecorderCommands

if let status = CommandLineTool.prepareProcess() { exit(status) }

// Swift reads the arguments from /proc. Without the check, every command line would look empty.
guard !CommandLine.arguments.isEmpty else {
    CommandLineTool.printError("kinesis-recorder: the arguments cannot be read: mount /proc")
    exit(78)
}

// Not async top-level code, whose runtime opens descriptors before the first line.
Task.detached(executorPreference: CommandLineTool.executor) {
    exit(
        await CommandLineTool.run(
            Array(CommandLine.arguments.dropFirst()),
            environment: ProcessInfo.processInfo.environment
        )
    )
}
while true { pause() }
