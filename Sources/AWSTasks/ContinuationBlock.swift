import Foundation

/// A user's block and the conditions under which it is called.
struct ContinuationBlock<ResultType: AnyObject> {
    let token: AWSCancellationToken?
    let block: Block
    let onSuccessOnly: Bool

    /// Blocks that are known to return a task need no casts.
    enum Block {
        case value((AWSTask<ResultType>) throws -> Any?)
        case task((AWSTask<ResultType>) throws -> AWSAnyTask?)

        func callAsFunction(_ task: AWSTask<ResultType>) throws -> BlockResult {
            switch self {
            case .value(let block): BlockResult(try block(task))
            case .task(let block): try block(task).map { .task($0) } ?? .value(nil)
            }
        }
    }

    init(_ block: Block, token: AWSCancellationToken?, onSuccessOnly: Bool) {
        self.token = token
        self.block = block
        self.onSuccessOnly = onSuccessOnly
    }

    /// What completes the block's task: an outcome now, or another task later.
    enum Completion {
        case outcome(TaskOutcome)
        case task(AWSAnyTask)
    }

    /// Calls the block and returns the task that it completes. Used where the call needs no continuation.
    @inline(__always)
    func start<Next: AnyObject>(after task: AWSTask<ResultType>) -> AWSTask<Next> {
        switch call(after: task) {
        case .outcome(let outcome):
            return AWSTask<Next>(outcome)
        case .task(let task):
            let child = AWSTask<Next>()
            if let ready = child.follow(task, token: token) { Trampoline.run(ready) }
            return child
        }
    }

    /// Calls the block, unless the token is cancelled or the task's outcome rules it out.
    func call(after task: AWSTask<ResultType>) -> Completion {
        if let token, token.wasCancelled { return .outcome(.cancelled) }
        if onSuccessOnly, let outcome = task.outcome, !outcome.isSuccess { return .outcome(outcome) }
        do {
            switch try block(task) {
            case .value(let result): return .outcome(.succeeded(result))
            case .task(let task): return task.outcome.map { .outcome($0.forwarded(under: token)) } ?? .task(task)
            }
        } catch {
            return .outcome(TaskOutcome(thrown: error))
        }
    }
}

/// What a block returned: a result, or a task whose outcome counts.
enum BlockResult {
    case value(AnyObject?)
    case task(AWSAnyTask)

    /// Nil stays nil, in nested optionals too, where a plain cast to an object gives an `NSNull`. So does `()`, the value
    /// of a block that returns nothing.
    init(_ returned: Any?) {
        guard let returned else {
            self = .value(nil)
            return
        }
        // The cheap cast first: it costs a fifth of the last one, which also bridges strings and numbers.
        if let object = returned as? NSObject {
            if let task = object as? AWSAnyTask { self = .task(task) } else { self = .value(object) }
        } else if let optional = returned as? any AnyOptional {
            self = BlockResult(optional.wrappedValue)
        } else if returned is Void {
            self = .value(nil)
        } else {
            self = .value(returned as AnyObject)
        }
    }

    /// The returned object, for callers that treat a task as a plain value.
    var object: AnyObject? {
        switch self {
        case .value(let object): object
        case .task(let task): task
        }
    }
}

/// An optional of any type.
private protocol AnyOptional {
    var wrappedValue: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var wrappedValue: Any? { self.map { $0 as Any } }
}
