//     MigrationProgram (cast|erased-cast|main-thread|observer|end|error) (before|after)

let arguments = CommandLine.arguments.dropFirst().joined(separator: " ")
switch arguments {
case "cast before": castBefore()
case "erased-cast before": erasedCastBefore()
case "cast after": castAfter()
case "main-thread before": mainThreadBefore()
case "main-thread after": mainThreadAfter()
case "observer before": observerBefore()
case "observer after": observerAfter()
case "end before": endBefore()
case "end after": try await endAfter()
case "error before": errorBefore()
case "error after": await errorAfter()
default: fatalError("unknown: \(arguments)")
}
