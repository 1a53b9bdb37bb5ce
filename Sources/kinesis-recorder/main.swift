import Foundation
import RecorderCommands

CommandLineTool.occupyStandardDescriptors()

// Swift reads the arguments from /proc. Without the check, every command line would look empty.
guard !CommandLine.arguments.isEmpty else {
    FileHandle.standardError.write(Data("kinesis-recorder: the arguments cannot be read: mount /proc\n".utf8))
    exit(78)
}

// Not async top-level code, whose runtime opens descriptors before the first line.
Task.detached {
    exit(
        await CommandLineTool.run(
            Array(CommandLine.arguments.dropFirst()),
            environment: ProcessInfo.processInfo.environment
        )
    )
}
while true { pause() }
