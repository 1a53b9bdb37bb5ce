import Synchronization

/// Callbacks that are called in order, one at a time, such as the completions of one commit.
///
/// A callback is the application's code and may block. Another thread can then take over the callbacks behind it: each is
/// called once, by the thread whose turn it is when it is reached.
final class CallbackRun: Sendable {
    private let count: Int
    private let call: @Sendable (Int) -> Void
    /// Whose turn it is, and the index of the next callback. One word, so that no callback is begun by a thread whose turn
    /// has just ended.
    private let state = Atomic<UInt64>(0)

    private static let indexBits: UInt64 = 32
    private static let indices: UInt64 = 1 << indexBits - 1

    init(count: Int, call: @escaping @Sendable (Int) -> Void) {
        self.count = count
        self.call = call
    }

    convenience init(_ callbacks: [@Sendable () -> Void]) {
        self.init(count: callbacks.count) { callbacks[$0]() }
    }

    convenience init(_ callback: @escaping @Sendable () -> Void) {
        self.init(count: 1) { _ in callback() }
    }

    /// The turn that a thread which starts now has.
    var turn: UInt64 { state.load(ordering: .acquiring) >> Self.indexBits }

    /// How many callbacks have begun.
    var begun: Int { Int(state.load(ordering: .acquiring) & Self.indices) }

    /// Whether a callback is left that has not begun.
    var hasMore: Bool { begun < count }

    /// Calls what is left, in order, until all have begun or another thread takes over.
    func perform(_ turn: UInt64) {
        var seen = state.load(ordering: .acquiring)
        while seen >> Self.indexBits == turn, case let index = Int(seen & Self.indices), index < count {
            let claim = state.compareExchange(expected: seen, desired: seen + 1, ordering: .acquiringAndReleasing)
            guard claim.exchanged else { return }
            call(index)
            seen += 1
        }
    }

    /// Ends the turn of the thread that performs the run: after the callback that it is in, it begins no other.
    func endTurn() {
        state.add(1 << Self.indexBits, ordering: .acquiringAndReleasing)
    }
}
