import Foundation
import RecorderCommands

exit(
    await CommandLineTool.run(
        Array(CommandLine.arguments.dropFirst()),
        environment: ProcessInfo.processInfo.environment
    )
)
