import Synchronization

/// What a task knows, in one word: pending with its continuations, or settled with its outcome.
///
/// The word changes from pending to settled once, by one compare-and-exchange, so every thread sees either the task
/// with its line of continuations or its outcome, never something between, and nobody waits for a lock. A continuation
/// that left the line never comes back and a settled word never changes again, so the usual dangers of lock-free lists
/// have no ground here.
struct TaskState: ~Copyable {
    /// An object's address, whose two low bits are free, and a tag in those bits. The word owns the object: the newest
    /// continuation, the result or the error; 0 stands for none.
    private let word: Atomic<UInt>

    init() {
        word = Atomic(Tag.pending)
    }

    init(_ outcome: TaskOutcome) {
        word = Atomic(Self.encode(outcome))
    }

    deinit {
        let last = word.load(ordering: .acquiring)
        if last & Tag.mask == Tag.pending {
            ContinuationLine(first: last).abandon()
        } else {
            TaggedReference.release(last & ~Tag.mask)
        }
    }

    /// The outcome, or nil while the task is pending.
    var outcome: TaskOutcome? {
        Self.decode(word.load(ordering: .acquiring))
    }

    /// True once there is an outcome.
    var isSettled: Bool {
        word.load(ordering: .acquiring) & Tag.mask != Tag.pending
    }

    /// Settles the task and hands over its continuations, newest first; nil, and no change, if it was settled already.
    func settle(_ outcome: TaskOutcome) -> ContinuationLine? {
        let settled = Self.encode(outcome)
        var current = word.load(ordering: .relaxed)
        while current & Tag.mask == Tag.pending {
            let (exchanged, seen) = word.weakCompareExchange(
                expected: current,
                desired: settled,
                ordering: .acquiringAndReleasing
            )
            if exchanged {
                return ContinuationLine(first: current)
            }
            current = seen
        }
        TaggedReference.release(settled & ~Tag.mask)
        return nil
    }

    /// Puts a continuation in line; or, where the task is settled, returns the outcome and leaves the continuation be.
    func append(_ continuation: TaskContinuation) -> TaskOutcome? {
        var current = word.load(ordering: .acquiring)
        guard current & Tag.mask == Tag.pending else { return Self.decode(current) }
        let address = TaggedReference.retain(continuation)
        while current & Tag.mask == Tag.pending {
            continuation.next = ContinuationLine(first: current)
            let (exchanged, seen) = word.weakCompareExchange(
                expected: current,
                desired: address,
                successOrdering: .acquiringAndReleasing,
                failureOrdering: .acquiring
            )
            if exchanged {
                return nil
            }
            current = seen
        }
        continuation.next = ContinuationLine()
        TaggedReference.release(address)
        return Self.decode(current)
    }

    /// Takes the continuations of a task that nobody else holds, so that none will ever run.
    func takeAbandoned() -> ContinuationLine {
        isSettled ? ContinuationLine() : ContinuationLine(first: word.exchange(Tag.pending, ordering: .acquiring))
    }

    private enum Tag {
        static let pending: UInt = 0
        static let succeeded: UInt = 1
        static let faulted: UInt = 2
        static let cancelled: UInt = 3
        static let mask: UInt = 3
    }

    private static func encode(_ outcome: TaskOutcome) -> UInt {
        switch outcome {
        case .succeeded(let result): (result.map(TaggedReference.retain) ?? 0) | Tag.succeeded
        case .faulted(let error): TaggedReference.retain(error) | Tag.faulted
        case .cancelled: Tag.cancelled
        }
    }

    private static func decode(_ word: UInt) -> TaskOutcome? {
        let address = word & ~Tag.mask
        switch word & Tag.mask {
        case Tag.succeeded: return .succeeded(address == 0 ? nil : TaggedReference.object(at: address))
        case Tag.faulted: return .faulted(TaggedReference.object(at: address))
        case Tag.cancelled: return .cancelled
        default: return nil
        }
    }
}
