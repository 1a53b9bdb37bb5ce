import Foundation

/// Runs continuations, and those that become ready through them, in a loop instead of by recursion, so that the length
/// of a chain costs no stack.
///
/// The order is that of nested calls: oldest first, and each one's descendants before its next sibling.
struct ContinuationRun {
    private var current: ReadyContinuations
    private var later: [ReadyContinuations] = []
    private var postponed: [ReadyContinuations] = []

    /// Runs everything that is ready before it returns, save what asks to be run elsewhere.
    static func run(_ ready: ReadyContinuations) {
        var run = ContinuationRun(current: ready)
        while let (continuation, task) = run.popNext() {
            if let descendants = run.place(continuation, after: task) {
                if !run.current.line.isEmpty { run.later.append(run.current) }
                run.current = descendants
            }
        }
        run.hop()
    }

    /// Runs one continuation in its place.
    static func run(_ continuation: TaskContinuation, after task: AWSAnyTask) {
        run(ReadyContinuations(task: task, line: ContinuationLine(continuation)))
    }

    private init(current: ReadyContinuations) {
        self.current = current
    }

    private mutating func popNext() -> (TaskContinuation, AWSAnyTask)? {
        while true {
            if let continuation = current.line.popFirst() {
                return (continuation, current.task)
            }
            guard let nearest = later.popLast() else { return nil }
            current = nearest
        }
    }

    /// Runs the continuation here, or sends it where it belongs.
    private mutating func place(_ continuation: TaskContinuation, after task: AWSAnyTask) -> ReadyContinuations? {
        if continuation.place.isHere {
            return continuation.run(after: task)
        }
        switch continuation.place {
        case .mainThread:
            DispatchQueue.main.async { Self.runHere(continuation, after: task) }
        case .custom(let executor) where !StackSpace.isShort:
            executor.submit { Self.runHere(continuation, after: task) }
        default:
            postponed.append(ReadyContinuations(task: task, line: ContinuationLine(continuation)))
        }
        return nil
    }

    private static func runHere(_ continuation: TaskContinuation, after task: AWSAnyTask) {
        if let ready = continuation.run(after: task) {
            run(ready)
        }
    }

    /// Goes on with a fresh stack, in the same order, after what had to run here.
    private func hop() {
        guard !postponed.isEmpty else { return }
        DispatchQueue.global().async { [postponed] in
            for ready in postponed {
                Self.run(ready)
            }
        }
    }
}
