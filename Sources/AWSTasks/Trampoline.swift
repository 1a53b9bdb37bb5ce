import Foundation

/// Runs continuations, and those that become ready through them, in a loop instead of by recursion, so that a chain of any
/// length needs no deep stack.
///
/// The order is that of nested calls: oldest first, and everything that a continuation makes ready before its next
/// sibling.
struct Trampoline {
    private var current: ReadyContinuations
    private var later: [ReadyContinuations] = []
    private var postponed: [ReadyContinuations] = []

    /// Runs everything that is ready, except what is dispatched to another executor, before it returns.
    static func run(_ ready: ReadyContinuations) {
        var trampoline = Trampoline(current: ready)
        while let (continuation, task) = trampoline.popNext() {
            if let descendants = trampoline.dispatch(continuation, after: task) {
                if !trampoline.current.queue.isEmpty { trampoline.later.append(trampoline.current) }
                trampoline.current = descendants
            }
        }
        trampoline.runPostponed()
    }

    /// Runs one continuation on its executor.
    static func run(_ continuation: TaskContinuation, after task: AWSAnyTask) {
        run(ReadyContinuations(task: task, queue: ContinuationQueue(continuation)))
    }

    private init(current: ReadyContinuations) {
        self.current = current
    }

    private mutating func popNext() -> (TaskContinuation, AWSAnyTask)? {
        while true {
            if let continuation = current.queue.popFirst() {
                return (continuation, current.task)
            }
            guard let nearest = later.popLast() else { return nil }
            current = nearest
        }
    }

    /// Runs the continuation here, or dispatches it to its executor.
    private mutating func dispatch(_ continuation: TaskContinuation, after task: AWSAnyTask) -> ReadyContinuations? {
        if continuation.executor.canRunInline {
            return continuation.run(after: task)
        }
        switch continuation.executor {
        case .mainThread:
            DispatchQueue.main.async { Self.runInline(continuation, after: task) }
        case .custom(let executor) where !StackSpace.isLow:
            executor.submit { Self.runInline(continuation, after: task) }
        default:
            postponed.append(ReadyContinuations(task: task, queue: ContinuationQueue(continuation)))
        }
        return nil
    }

    private static func runInline(_ continuation: TaskContinuation, after task: AWSAnyTask) {
        if let ready = continuation.run(after: task) {
            run(ready)
        }
    }

    /// Runs what was postponed for lack of stack on a global queue, in the same order.
    private func runPostponed() {
        guard !postponed.isEmpty else { return }
        DispatchQueue.global().async { [postponed] in
            for ready in postponed {
                Self.run(ready)
            }
        }
    }
}
