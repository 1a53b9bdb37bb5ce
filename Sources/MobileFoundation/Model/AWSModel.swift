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
    private struct Calls {
        var isCancelled = false
        var running: [Task<Void, Never>] = []
    }

    private let calls = Locked(Calls())

    /// Whether ``cancel()`` was called.
    public final var isCancelled: Bool { calls.withLock { $0.isCancelled } }

    /// Cancels all calls with this request, later ones too: their tasks fault with `NSURLErrorCancelled`. The service may
    /// still have performed the operation. Safe to call from any thread.
    ///
    /// - Returns: A task that has already succeeded.
    @discardableResult
    public final func cancel() -> AWSTask<AnyObject> {
        let running = calls.withLock { calls in
            calls.isCancelled = true
            defer { calls.running = [] }
            return calls.running
        }
        for call in running { call.cancel() }
        return AWSTask(result: nil)
    }

    /// Registers a call to be cancelled by ``cancel()``.
    package final func runs(in call: Task<Void, Never>) {
        let isLate = calls.withLock { calls in
            if !calls.isCancelled { calls.running.append(call) }
            return calls.isCancelled
        }
        if isLate { call.cancel() }
    }
}
