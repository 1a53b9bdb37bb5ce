import Foundation

/// The one thread on which a store's completions and events reach user code, in order.
///
/// Never the writer's thread and never under a lock: a slow block delays later completions, but no commit, settle or
/// submit. A block that waits here for another completion of the same store waits for ever.
final class DeliveryQueue: Sendable {
    private let queue = DispatchQueue(label: "com.amazonaws.AWSKinesisRecorder.delivery")

    func deliver(_ block: @escaping @Sendable () -> Void) {
        queue.async(execute: block)
    }
}
