import Foundation
import RecorderCommands

CommandLineTool.occupyStandardDescriptors()

// Swift reads them from there. Without the check every command line would count as an empty one.
guard !CommandLine.arguments.isEmpty else {
    FileHandle.standardError.write(Data("kinesis-recorder: its arguments cannot be read: mount /proc\n".utf8))
    exit(78)
}

// Not in async top-level code, whose runtime opens descriptors of its own before the first line.
Task.detached {
    exit(
        await CommandLineTool.run(
            Array(CommandLine.arguments.dropFirst()),
            environment: ProcessInfo.processInfo.environment
        )
    )
}
while true { pause() }
