public import Foundation

/// The base class of every ``AWSTask``, independent of the result type.
///
/// Use it to hold tasks of different result types together, as in `[AWSAnyTask]`. ``AWSTask`` is its only subclass. Safe
/// to use from any thread.
public class AWSAnyTask: NSObject, @unchecked Sendable {
    // Safe because the only mutable state is one atomic word.
    private let state: TaskState

    override init() {
        state = TaskState()
    }

    init(_ outcome: TaskOutcome) {
        state = TaskState(outcome)
    }

    /// True once the task has succeeded, faulted or been cancelled. Already true when its continuations run.
    public final var isCompleted: Bool { state.isSettled }

    /// True once the task has ended with an error.
    public final var isFaulted: Bool { error != nil }

    /// True once the task has been cancelled.
    public final var isCancelled: Bool {
        if case .cancelled = outcome { true } else { false }
    }

    /// The error of a faulted task, always an `NSError`; nil for every other task.
    ///
    /// ``AWSTask/value`` throws a Swift error in its original type instead.
    public final var error: (any Error)? {
        if case .faulted(let error) = outcome { error } else { nil }
    }

    /// Blocks the calling thread until the task is completed.
    ///
    /// On the main thread this stops everything that needs the main queue; if the task itself needs it, the call never
    /// returns. A warning on standard error says so once per process.
    public final func waitUntilFinished() {
        guard !isCompleted else { return }
        if MainThread.isCurrent { MainThread.warnAboutWaiting() }
        let waiter = ThreadWaiter()
        if append(waiter) == nil {
            waiter.wait()
        }
    }

    /// The state as text, in the AWS SDK's format: `<AWSTask: 0x…; completed = YES; cancelled = NO; faulted = NO;
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

    /// The task's outcome, or nil while it is pending.
    final var outcome: TaskOutcome? { state.outcome }

    /// Completes the task and runs its continuations. Returns false and changes nothing if it was completed before.
    @discardableResult
    final func complete(_ outcome: TaskOutcome) -> Bool {
        guard let queue = state.settle(outcome) else { return false }
        let ready = ReadyContinuations(task: self, queue: queue.oldestFirst(wakingFor: self))
        if !ready.queue.isEmpty { Trampoline.run(ready) }
        return true
    }

    /// Completes the task and returns its continuations, for the caller to run; nil if there are none, or if the task was
    /// completed before.
    final func settle(_ outcome: TaskOutcome) -> ReadyContinuations? {
        guard let queue = state.settle(outcome), !queue.isEmpty else { return nil }
        return ReadyContinuations(task: self, queue: queue.oldestFirst(wakingFor: self))
    }

    /// Adds a continuation to a pending task. Returns the outcome instead if the task is completed.
    final func append(_ continuation: TaskContinuation) -> TaskOutcome? {
        state.append(continuation)
    }

    /// Adds a continuation, or runs it if the task is completed.
    final func then(_ continuation: TaskContinuation) {
        if append(continuation) != nil {
            Trampoline.run(continuation, after: self)
        }
    }

    /// Completes this task with the outcome of another one, and returns the continuations that are ready now.
    final func follow(_ task: AWSAnyTask, token: AWSCancellationToken?) -> ReadyContinuations? {
        guard let outcome = task.append(Forwarding(child: self, token: token)) else { return nil }
        return settle(outcome.forwarded(under: token))
    }

    /// Removes and returns the continuations of a task to which there is no other reference.
    final func takeAbandoned() -> ContinuationQueue { state.takeAbandoned() }
}
