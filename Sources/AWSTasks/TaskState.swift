import Synchronization

/// The state of a task in one atomic word: pending with its continuations, or settled with its outcome.
///
/// One compare-and-exchange changes the word from pending to settled, so every thread sees either the task with its queue
/// of continuations or its outcome, and no thread waits for a lock. The ABA problem cannot occur: a continuation that left
/// the queue is never added again, and a settled word never changes.
struct TaskState: ~Copyable {
    /// An object's address with a tag in its two low bits. The word owns the object: the newest continuation, the result or
    /// the error; 0 means none.
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
            ContinuationQueue(first: last).abandon()
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

    /// Settles the task and returns its continuations, newest first. Returns nil and changes nothing if it was settled.
    func settle(_ outcome: TaskOutcome) -> ContinuationQueue? {
        let settled = Self.encode(outcome)
        var current = word.load(ordering: .relaxed)
        while current & Tag.mask == Tag.pending {
            let (exchanged, seen) = word.weakCompareExchange(
                expected: current,
                desired: settled,
                ordering: .acquiringAndReleasing
            )
            if exchanged {
                return ContinuationQueue(first: current)
            }
            current = seen
        }
        TaggedReference.release(settled & ~Tag.mask)
        return nil
    }

    /// Adds a continuation. If the task is settled, returns the outcome and leaves the continuation alone.
    func append(_ continuation: TaskContinuation) -> TaskOutcome? {
        var current = word.load(ordering: .acquiring)
        guard current & Tag.mask == Tag.pending else { return Self.decode(current) }
        let address = TaggedReference.retain(continuation)
        while current & Tag.mask == Tag.pending {
            continuation.next = ContinuationQueue(first: current)
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
        continuation.next = ContinuationQueue()
        TaggedReference.release(address)
        return Self.decode(current)
    }

    /// Removes and returns the continuations of a task to which there is no other reference, so that none of them runs.
    func takeAbandoned() -> ContinuationQueue {
        isSettled ? ContinuationQueue() : ContinuationQueue(first: word.exchange(Tag.pending, ordering: .acquiring))
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

/// References as plain integers, for words that must change atomically. Retain counts are managed by hand, only here.
enum TaggedReference {
    /// Retains the object and returns its address.
    static func retain(_ object: AnyObject) -> UInt {
        let address = unsafe UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
        assert(address & 3 == 0, "an object's address leaves two bits free")
        return address
    }

    /// Releases the object at an address; 0 means no object.
    static func release(_ address: UInt) {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return }
        unsafe Unmanaged<AnyObject>.fromOpaque(pointer).release()
    }

    /// The object at an address; the address goes on owning it.
    static func object<Object: AnyObject>(at address: UInt) -> Object {
        unsafe unmanaged(address).takeUnretainedValue()
    }

    /// The object at an address; ownership passes to the caller.
    static func take<Object: AnyObject>(_ address: UInt) -> Object {
        unsafe unmanaged(address).takeRetainedValue()
    }

    private static func unmanaged<Object: AnyObject>(_ address: UInt) -> Unmanaged<Object> {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else {
            fatalError("no object at address 0")
        }
        return unsafe Unmanaged.fromOpaque(pointer)
    }
}
