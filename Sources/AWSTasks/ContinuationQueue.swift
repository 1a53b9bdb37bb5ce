/// A linked list of continuations that owns its elements. It must be popped until it is empty, or abandoned.
struct ContinuationQueue {
    private var first: UInt

    init() {
        first = 0
    }

    init(first: UInt) {
        self.first = first
    }

    init(_ only: TaskContinuation) {
        first = TaggedReference.retain(only)
    }

    var isEmpty: Bool { first == 0 }

    /// Removes and returns the first continuation.
    mutating func popFirst() -> TaskContinuation? {
        guard first != 0 else { return nil }
        let continuation: TaskContinuation = TaggedReference.take(first)
        self = continuation.next
        continuation.next = ContinuationQueue()
        return continuation
    }

    mutating func prepend(_ continuation: TaskContinuation) {
        continuation.next = self
        first = TaggedReference.retain(continuation)
    }

    /// Reverses a queue that is ordered newest first. Waiting threads are woken on the way and left out.
    consuming func oldestFirst(wakingFor task: AWSAnyTask) -> ContinuationQueue {
        var ordered = ContinuationQueue()
        while let continuation = popFirst() {
            if continuation.wakesThread {
                _ = continuation.run(after: task)
            } else {
                ordered.prepend(continuation)
            }
        }
        return ordered
    }

    /// Frees the queue, and every task that only it could have completed, in a loop: nested deinits would overflow the
    /// stack for a chain of a million tasks.
    consuming func abandon() {
        while let continuation = popFirst() {
            var child = continuation.child.take()
            guard child != nil, isKnownUniquelyReferenced(&child) else { continue }
            var orphans = child?.takeAbandoned() ?? ContinuationQueue()
            while let orphan = orphans.popFirst() {
                prepend(orphan)
            }
        }
    }
}

/// A completed task and the continuations to run after it, oldest first.
struct ReadyContinuations {
    let task: AWSAnyTask
    var queue: ContinuationQueue
}
