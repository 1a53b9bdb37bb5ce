/// What each stream takes of a store, and which one gives way when the store is full. Pure.
///
/// A dead stream stops itself only. A stream may use whatever the limit leaves while the others need nothing. In a full store each
/// has a share, the limit divided by the number of streams with records, the saving one included:
///
/// | save beyond the limit | a store that evicts | a store that refuses |
/// |---|---|---|
/// | of a stream that stays within its share | stored; the stream that takes the most loses its oldest records | stored, as long as the store has less than twice its limit |
/// | of a stream that has nothing stored | the same | the same, so that a record larger than a share is not stuck for ever |
/// | of any other stream | the same | refused |
///
/// The stream that takes the most of a full store always has more than its share, so a stream within its share loses nothing.
package struct StreamShares: Sendable {
    /// The streams with records.
    private var uses: [Int64: RecordAmount]
    /// Candidates for the largest stream: each stream is there with at least its bytes.
    private var candidates = LargestFirst()
    /// The bytes with which each stream is a candidate.
    private var listed: [Int64: Int] = [:]

    package init(_ uses: [Int64: RecordAmount]) {
        self.uses = uses.filter { $0.value.records > 0 }
        for (stream, use) in self.uses { list(stream, use.bytes) }
    }

    /// The number of streams with records.
    package var count: Int { uses.count }

    package func use(of stream: Int64) -> RecordAmount { uses[stream] ?? RecordAmount() }

    /// Records of a stream came, or went.
    package mutating func change(_ stream: Int64, by change: RecordAmount) {
        var use = use(of: stream)
        use += change
        guard use.records > 0 else { return forget(stream) }
        uses[stream] = use
        if use.bytes > listed[stream] ?? 0 { list(stream, use.bytes) }
        assert(listed[stream] ?? 0 >= use.bytes)
    }

    /// A stream has no records.
    package mutating func forget(_ stream: Int64) {
        uses[stream] = nil
    }

    /// The stream that takes the most; nil if there is none.
    package mutating func largest() -> Int64? {
        while let top = candidates.first {
            let bytes = uses[top.stream]?.bytes
            if top.bytes == bytes, listed[top.stream] == bytes { return top.stream }
            candidates.removeFirst()
            // Of a stream that is listed several times, the largest entry counts.
            guard listed[top.stream] == top.bytes else { continue }
            listed[top.stream] = nil
            if let bytes { list(top.stream, bytes) }
        }
        assert(uses.isEmpty)
        return nil
    }

    private mutating func list(_ stream: Int64, _ bytes: Int) {
        listed[stream] = bytes
        candidates.insert((bytes, stream))
        guard candidates.count > 2 * uses.count + 64 else { return }
        // Most are of streams that grew, and were listed again.
        (candidates, listed) = (LargestFirst(), uses.mapValues(\.bytes))
        for (stream, use) in uses { candidates.insert((use.bytes, stream)) }
        assert(candidates.count == uses.count && listed.count == uses.count)
    }
}

extension DiskLimits {
    /// Whether a save of so many records is refused if it does not fit beside `stored`.
    func isExceeded(by added: RecordAmount, beside stored: RecordAmount) -> Bool {
        switch overflow {
        case .evicts: false
        case .refuses: bytes > 0 && added.bytes > bytes - stored.bytes
        case .refusesByContent: added.contentBytes > bytes - stored.contentBytes
        }
    }

    /// The error for a save that does not fit beside `stored`; nil if its stream, which takes `use` of it, is within its share,
    /// so that it is stored anyway. `streams` is the number of streams with records, the saving one included.
    package func refusal(
        of added: RecordAmount,
        to use: RecordAmount,
        beside stored: RecordAmount,
        streams: Int
    ) -> RecorderError? {
        let (size, use, taken) = (size(of: added), size(of: use), size(of: stored))
        let share = bytes / max(streams, 1)
        let isWithinShare = streams > 1 && (use == 0 || size <= share - use)
        if isWithinShare, size <= bytes, size <= bytes - (taken - bytes) { return nil }
        let subject = added.records == 1 ? "The record takes" : "The \(added.records) records take"
        var text = "\(subject) \(size) bytes; \(max(bytes - taken, 0)) of the store's \(bytes) are free"
        if streams > 1, taken >= use { text += ", and the stream has stored \(use), with a share of \(share)" }
        return .storeFull(text + ".")
    }

    private func size(of amount: RecordAmount) -> Int {
        overflow == .refusesByContent ? amount.contentBytes : amount.bytes
    }
}

/// A heap, the largest first; of equal ones, the stream with the lowest number.
private struct LargestFirst: Sendable {
    typealias Element = (bytes: Int, stream: Int64)

    private var elements: [Element] = []

    var first: Element? { elements.first }
    var count: Int { elements.count }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, isBefore(child, (child - 1) / 2) {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func removeFirst() {
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        var parent = 0
        while true {
            var next = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < elements.count && isBefore(child, next) {
                next = child
            }
            guard next != parent else { return }
            elements.swapAt(parent, next)
            parent = next
        }
    }

    private func isBefore(_ index: Int, _ other: Int) -> Bool {
        let (element, other) = (elements[index], elements[other])
        return (element.bytes, other.stream) > (other.bytes, element.stream)
    }
}
