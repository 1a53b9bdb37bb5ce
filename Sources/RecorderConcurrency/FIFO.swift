/// A queue with O(1) append and removal, on average. An element is released as soon as it is removed.
///
/// Public for the same reason as ``Locked``: so that other targets get specialized copies.
public struct FIFO<Element> {
    @usableFromInline var incoming: [Element] = []
    /// Reversed, because removing an array's last element is cheap.
    @usableFromInline var outgoing: [Element] = []

    /// An empty queue.
    @inlinable
    public init() {}

    /// Whether nothing is queued.
    @inlinable
    public var isEmpty: Bool { incoming.isEmpty && outgoing.isEmpty }

    /// Adds an element at the end.
    @inlinable
    public mutating func append(_ element: Element) {
        incoming.append(element)
    }

    /// Adds an element at the front, such as one that was just removed.
    @inlinable
    public mutating func prepend(_ element: Element) {
        outgoing.append(element)
    }

    /// Removes the first element; nil if the queue is empty.
    @inlinable
    public mutating func popFirst() -> Element? {
        if outgoing.isEmpty, incoming.count > 1 {
            outgoing = incoming.reversed()
            incoming.removeAll()
        }
        return outgoing.popLast() ?? incoming.popLast()
    }
}

extension FIFO: Sendable where Element: Sendable {}
