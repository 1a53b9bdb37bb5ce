public import Foundation

/// Decides where continuations run.
///
/// Immutable; safe to use from any thread.
public final class AWSExecutor: NSObject, @unchecked Sendable {
    // Safe because it is immutable. A user's block is called from any thread, as `init(block:)` documents.
    let kind: ExecutorKind

    /// Runs blocks at once on the calling thread, or on a global queue when little of that thread's stack is left.
    ///
    /// - Returns: The shared instance, which is used where no executor is given.
    public static func `default`() -> AWSExecutor { shared.default }

    /// Runs blocks at once on the calling thread, however little of its stack is left.
    ///
    /// - Returns: The shared instance.
    public static func immediate() -> AWSExecutor { shared.immediate }

    /// Runs blocks at once when called on the main thread, otherwise on the main queue, which the program must run
    /// (`dispatchMain()`, `RunLoop.main.run()`, or an `async` main function).
    ///
    /// - Returns: The shared instance.
    public static func mainThread() -> AWSExecutor { shared.mainThread }

    /// Runs blocks by passing them to a block of yours.
    ///
    /// - Parameter block: Called on any thread with the work to do. It must call that work exactly once, now or later.
    public convenience init(block: @escaping (@escaping () -> Void) -> Void) {
        self.init(.custom(CustomExecutor(submit: block)))
    }

    /// Runs blocks on a dispatch queue, always asynchronously, even when called on that queue.
    public convenience init(dispatchQueue: DispatchQueue) {
        self.init(
            .custom(
                CustomExecutor { block in
                    let work = SendableBlock(run: block)
                    dispatchQueue.async { work.run() }
                }
            )
        )
    }

    /// Runs blocks as operations of an operation queue.
    public convenience init(operationQueue: OperationQueue) {
        self.init(
            .custom(
                CustomExecutor { block in
                    let work = SendableBlock(run: block)
                    operationQueue.addOperation { work.run() }
                }
            )
        )
    }

    /// Runs a block on this executor.
    public func execute(_ block: @escaping () -> Void) {
        if kind.canRunInline {
            block()
            return
        }
        let work = SendableBlock(run: block)
        switch kind {
        case .mainThread: DispatchQueue.main.async { work.run() }
        case .custom(let executor): executor.submit(block)
        case .default, .immediate: DispatchQueue.global().async { work.run() }
        }
    }

    private init(_ kind: ExecutorKind) {
        self.kind = kind
    }

    private static let shared = (
        default: AWSExecutor(.default),
        immediate: AWSExecutor(.immediate),
        mainThread: AWSExecutor(.mainThread)
    )
}

/// How an executor runs blocks.
enum ExecutorKind {
    case `default`
    case immediate
    case mainThread
    case custom(CustomExecutor)

    /// True if a block may run on the calling thread now.
    var canRunInline: Bool {
        switch self {
        case .immediate: true
        case .default: !StackSpace.isLow
        case .mainThread: MainThread.isCurrent && !StackSpace.isLow
        case .custom: false
        }
    }
}

/// A queue's or a user's way to run blocks.
final class CustomExecutor {
    let submit: (@escaping () -> Void) -> Void

    init(submit: @escaping (@escaping () -> Void) -> Void) {
        self.submit = submit
    }
}

/// A user's block on its way to another thread.
///
/// Code written before Swift concurrency passes plain closures. That executors and tokens call them on other threads is
/// documented.
struct SendableBlock: @unchecked Sendable {
    // Safe because the block is called once, by one thread, after the thread that created it has released it.
    let run: () -> Void
}
