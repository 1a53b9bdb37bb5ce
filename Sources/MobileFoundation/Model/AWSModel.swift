public import AWSTasks
public import Foundation
package import RecorderAWS
import RecorderConcurrency

/// A structure in a service's requests or responses. Its members are optional, writable properties.
///
/// Not safe to use from several threads at the same time.
open class AWSModel: NSObject, AWSCreatableModel {
    /// A model without any member set, as `init()` creates it.
    public required init(blank: Void) {
        super.init()
    }

    /// A model without any member set.
    public static func emptyModel() -> Self {
        Self(blank: ())
    }

    /// The name of the class, and the members as JSON, without secrets, and without the bytes of data.
    open override var description: String {
        (self as? any WireShape)?.described ?? super.description
    }
}

extension WireShape where Self: AWSModel {
    package static func blank() -> Self {
        emptyModel()
    }
}

/// A class with an implicitly unwrapped `init()`, as the AWS SDK's models have it in Swift.
///
/// `AWSKinesisPutRecordInput()!` and `request?.data` both compile. A subclass of `NSObject` cannot override `init()` as
/// implicitly unwrapped, but a protocol extension can add it.
public protocol AWSCreatableModel {
    /// A model without any member set.
    static func emptyModel() -> Self
}

extension AWSCreatableModel {
    /// A model without any member set; never nil.
    public init!() {
        self = Self.emptyModel()
    }
}

/// The input of an operation. May be used for several calls.
open class AWSRequest: AWSModel {
    private let calls = RunningCalls()

    /// Whether ``cancel()`` was called.
    public final var isCancelled: Bool { calls.areCancelled }

    /// Cancels all calls with this request, later ones too: their tasks fault with `NSURLErrorCancelled`. The service may
    /// still have performed the operation. Safe to call from any thread.
    ///
    /// - Returns: A task that has already succeeded.
    @discardableResult
    public final func cancel() -> AWSTask<AnyObject> {
        calls.cancel()
        return AWSTask(result: nil)
    }

    /// How many calls with it are running; none after ``cancel()``.
    package final var runningCalls: Int { calls.count }

    /// Makes a call, which ``cancel()`` cancels.
    package final func run(_ call: @escaping @Sendable () async -> Void) { calls.run(call) }
}

/// The calls that one request is used for.
private final class RunningCalls: Sendable {
    private struct State {
        var areCancelled = false
        var running: [Int: Task<Void, Never>] = [:]
        var last = 0
    }

    private let state = Locked(State())

    var areCancelled: Bool { state.withLock { $0.areCancelled } }
    var count: Int { state.withLock { $0.running.count } }

    func cancel() {
        let running = state.withLock { state in
            state.areCancelled = true
            defer { state.running = [:] }
            return Array(state.running.values)
        }
        for call in running { call.cancel() }
    }

    func run(_ call: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.last += 1
            let number = state.last
            let task = Task {
                await call()
                self.state.withLock { $0.running[number] = nil }
            }
            if state.areCancelled { task.cancel() } else { state.running[number] = task }
        }
    }
}
