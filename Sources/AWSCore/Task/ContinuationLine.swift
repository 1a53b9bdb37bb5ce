/// Continuations standing in line. Owns them: a line must be popped empty or abandoned.
struct ContinuationLine {
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

    /// Takes the first continuation out of the line.
    mutating func popFirst() -> TaskContinuation? {
        guard first != 0 else { return nil }
        let continuation: TaskContinuation = TaggedReference.take(first)
        self = continuation.next
        continuation.next = ContinuationLine()
        return continuation
    }

    mutating func prepend(_ continuation: TaskContinuation) {
        continuation.next = self
        first = TaggedReference.retain(continuation)
    }

    /// The line in the order of registration, given that it stands newest first. Threads that wait are woken on the way.
    consuming func oldestFirst(wakingFor task: AWSAnyTask) -> ContinuationLine {
        var ordered = ContinuationLine()
        while let continuation = popFirst() {
            if continuation.wakesThread {
                _ = continuation.run(after: task)
            } else {
                ordered.prepend(continuation)
            }
        }
        return ordered
    }

    /// Frees the line and every task that only it would have completed, one by one: freed by nested deinits, a chain of
    /// a million links would overflow the stack.
    consuming func abandon() {
        while let continuation = popFirst() {
            var child = continuation.child.take()
            guard child != nil, isKnownUniquelyReferenced(&child) else { continue }
            var orphans = child?.takeAbandoned() ?? ContinuationLine()
            while let orphan = orphans.popFirst() {
                prepend(orphan)
            }
        }
    }
}

/// A settled task and the continuations that wait to be run after it, oldest first.
struct ReadyContinuations {
    let task: AWSAnyTask
    var line: ContinuationLine
}
