/// A user's block on its way to another thread.
///
/// Old code hands over plain closures; that executors and tokens call them on other threads is the contract.
struct AnyThreadBlock: @unchecked Sendable {
    // Safe because the block is called once, by one thread, after the one that made it let it go.
    let run: () -> Void
}
