//     MigrationProgram (cast|erased-cast|main-thread|observer|array|end|error) (before|after)

import Foundation

/// The program is not async as a whole: then another thread would run the main queue.
func runAsync(_ body: @escaping () async throws -> Void) {
    Task {
        try await body()
        exit(0)
    }
    RunLoop.main.run()
}

let arguments = CommandLine.arguments.dropFirst().joined(separator: " ")
switch arguments {
case "cast before": castBefore()
case "erased-cast before": erasedCastBefore()
case "cast after": castAfter()
case "main-thread before": mainThreadBefore()
case "main-thread after": mainThreadAfter()
case "observer before": observerBefore()
case "observer after": observerAfter()
case "array before": arrayBefore()
case "array after": arrayAfter()
case "end before": endBefore()
case "end after": runAsync { try await endAfter() }
case "error before": errorBefore()
case "error after": runAsync { await errorAfter() }
default: fatalError("unknown: \(arguments)")
}
