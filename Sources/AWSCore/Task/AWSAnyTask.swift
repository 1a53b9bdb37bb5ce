public import Foundation

/// What every ``AWSTask`` is, whatever the type of its result.
///
/// Name this type to hold tasks of different result types together, as in `[AWSAnyTask]`. Only ``AWSTask`` derives from
/// it. Safe to use from any thread.
public class AWSAnyTask: NSObject, @unchecked Sendable {
    // Safe because all that changes is one atomic word.
    private let state: TaskState

    override init() {
        state = TaskState()
    }

    init(_ outcome: TaskOutcome) {
        state = TaskState(outcome)
    }

    /// True once the task succeeded, faulted or was cancelled. Already true when its continuations run.
    public final var isCompleted: Bool { state.isSettled }

    /// True once the task ended with an error.
    public final var isFaulted: Bool { error != nil }

    /// True once the task ended by cancellation.
    public final var isCancelled: Bool {
        if case .cancelled = outcome { true } else { false }
    }

    /// The error of a faulted task, always a real `NSError`; nil for every other task.
    ///
    /// Awaiting ``AWSTask/value`` throws a Swift error as the type that it was.
    public final var error: (any Error)? {
        if case .faulted(let error) = outcome { error } else { nil }
    }

    /// Blocks the calling thread until the task is completed.
    ///
    /// On the main thread this stops everything that needs the main queue, and never returns if the task itself does;
    /// a warning on standard error says so, once a process.
    public final func waitUntilFinished() {
        guard !isCompleted else { return }
        if MainThread.isCurrent { MainThread.warnOfWaiting() }
        let waiter = ThreadWaiter()
        if append(waiter) == nil {
            waiter.wait()
        }
    }

    /// The state in words, in the original's form: `<AWSTask: 0x…; completed = YES; cancelled = NO; faulted = NO;
    /// result = …>`.
    public override var description: String {
        let outcome = outcome
        var text = "<AWSTask: 0x\(String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16))"
        text += "; completed = \(outcome != nil ? "YES" : "NO")"
        switch outcome {
        case nil:
            return text + "; cancelled = NO; faulted = NO;>"
        case .succeeded(let result):
            let result = result.map { String(describing: $0) } ?? "(null)"
            return text + "; cancelled = NO; faulted = NO; result = \(result)>"
        case .faulted:
            return text + "; cancelled = NO; faulted = YES; result = (null)>"
        case .cancelled:
            return text + "; cancelled = YES; faulted = NO; result = (null)>"
        }
    }

    /// How the task ended, or nil while it is pending.
    final var outcome: TaskOutcome? { state.outcome }

    /// Completes the task and runs its continuations; false, changing nothing, if it was completed before.
    @discardableResult
    final func complete(_ outcome: TaskOutcome) -> Bool {
        guard let line = state.settle(outcome) else { return false }
        let ready = ReadyContinuations(task: self, line: line.oldestFirst(wakingFor: self))
        if !ready.line.isEmpty { ContinuationRun.run(ready) }
        return true
    }

    /// Completes the task and leaves its continuations to the caller, to be run after whatever the caller must do first.
    final func settle(_ outcome: TaskOutcome) -> ReadyContinuations? {
        guard let line = state.settle(outcome), !line.isEmpty else { return nil }
        return ReadyContinuations(task: self, line: line.oldestFirst(wakingFor: self))
    }

    /// Puts a continuation in line, or returns the outcome if there is one already.
    final func append(_ continuation: TaskContinuation) -> TaskOutcome? {
        state.append(continuation)
    }

    /// Puts a continuation in line, or runs it if there is an outcome already.
    final func then(_ continuation: TaskContinuation) {
        if append(continuation) != nil {
            ContinuationRun.run(continuation, after: self)
        }
    }

    /// The continuations of a task that nobody else holds.
    final func takeAbandoned() -> ContinuationLine { state.takeAbandoned() }
}
