public import Foundation

/// Decides where continuations run.
///
/// May be used from any thread. Executors never change once made.
public final class AWSExecutor: NSObject, @unchecked Sendable {
    // Safe because it never changes; a block given by the user is called from any thread, as documented there.
    let place: ExecutionPlace

    /// Runs on the calling thread at once; when little of that thread's stack is left, on a global queue instead.
    ///
    /// - Returns: Always the same executor, the one used where none is named.
    public static func `default`() -> AWSExecutor { shared.whileStackLasts }

    /// Runs on the calling thread at once, whatever is left of its stack.
    ///
    /// - Returns: Always the same executor.
    public static func immediate() -> AWSExecutor { shared.immediate }

    /// Runs at once when called on the main thread, else on the main queue, which the program must serve
    /// (`dispatchMain()`, `RunLoop.main.run()`, or an `async` main function).
    ///
    /// - Returns: Always the same executor.
    public static func mainThread() -> AWSExecutor { shared.mainThread }

    /// Runs wherever the given block runs what it is handed.
    ///
    /// - Parameter block: Called on any thread with the work to do; must call that work exactly once, now or later.
    public convenience init(block: @escaping (@escaping () -> Void) -> Void) {
        self.init(.custom(CustomPlace(submit: block)))
    }

    /// Runs on a dispatch queue, always asynchronously, even when called on that queue.
    public convenience init(dispatchQueue: DispatchQueue) {
        self.init(
            .custom(
                CustomPlace { block in
                    let work = AnyThreadBlock(run: block)
                    dispatchQueue.async { work.run() }
                }
            )
        )
    }

    /// Runs as an operation of an operation queue.
    public convenience init(operationQueue: OperationQueue) {
        self.init(
            .custom(
                CustomPlace { block in
                    let work = AnyThreadBlock(run: block)
                    operationQueue.addOperation { work.run() }
                }
            )
        )
    }

    /// Runs a block where this executor runs things.
    public func execute(_ block: @escaping () -> Void) {
        if place.isHere {
            block()
            return
        }
        let work = AnyThreadBlock(run: block)
        switch place {
        case .mainThread: DispatchQueue.main.async { work.run() }
        case .custom(let executor): executor.submit(block)
        case .whileStackLasts, .immediate: DispatchQueue.global().async { work.run() }
        }
    }

    private init(_ place: ExecutionPlace) {
        self.place = place
    }

    private static let shared = (
        whileStackLasts: AWSExecutor(.whileStackLasts),
        immediate: AWSExecutor(.immediate),
        mainThread: AWSExecutor(.mainThread)
    )
}
