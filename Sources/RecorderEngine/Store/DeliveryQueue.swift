/// How a store's completions and events reach user code: one at a time, in order, never while a lock is held.
///
/// Never on a thread that a commit waits for: a slow block delays later completions, but no commit, settle or submit. A
/// block that waits here for another completion of the same store waits for ever.
struct DeliveryQueue: Sendable {
    let crew: StoreCrew

    func deliver(_ block: @escaping @Sendable () -> Void) {
        crew.run(.deliver, block)
    }

    /// The same from a job of the crew, whose thread goes on with it.
    func deliverNext(_ block: @escaping @Sendable () -> Void) {
        crew.runNext(.deliver, block)
    }
}
