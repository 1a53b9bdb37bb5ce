/// A queue: what was appended first is taken first, at the cost of a move each, and is released when it is taken.
struct FIFO<Element> {
    private var arriving: [Element] = []
    /// In reverse, as an array gives up its last element for nothing.
    private var leaving: [Element] = []

    var isEmpty: Bool { arriving.isEmpty && leaving.isEmpty }

    mutating func append(_ element: Element) {
        arriving.append(element)
    }

    /// Puts back what was taken last.
    mutating func prepend(_ element: Element) {
        leaving.append(element)
    }

    mutating func popFirst() -> Element? {
        if leaving.isEmpty, arriving.count > 1 {
            leaving = arriving.reversed()
            arriving.removeAll()
        }
        return leaving.popLast() ?? arriving.popLast()
    }
}
