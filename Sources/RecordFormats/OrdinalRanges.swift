/// A set of record ordinals as sorted ranges with gaps between them: its size depends on the gaps, not on the records.
package struct OrdinalRanges: Sendable, Hashable {
    package private(set) var ranges: [ClosedRange<Int64>] = []

    package init() {}

    /// Ranges in any order, which may overlap.
    package init(_ ranges: some Sequence<ClosedRange<Int64>>) {
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { append(range) }
    }

    package var isEmpty: Bool { ranges.isEmpty }
    package var first: Int64? { ranges.first?.lowerBound }
    package var last: Int64? { ranges.last?.upperBound }
    /// How many ordinals there are.
    package var count: Int { ranges.reduce(0) { $0 + $1.count } }

    package func contains(_ ordinal: Int64) -> Bool {
        let index = indexOfRange(endingAtOrAfter: ordinal)
        return index < ranges.count && ranges[index].contains(ordinal)
    }

    /// Adds an ordinal; false if it was there.
    package mutating func insert(_ ordinal: Int64) -> Bool {
        // Mostly the next one.
        let index = ordinal > last ?? -1 ? ranges.count : indexOfRange(endingAtOrAfter: ordinal)
        if index < ranges.count, ranges[index].contains(ordinal) { return false }
        let meetsLower = index > 0 && ranges[index - 1].upperBound == ordinal - 1
        let meetsUpper = index < ranges.count && ranges[index].lowerBound == ordinal + 1
        switch (meetsLower, meetsUpper) {
        case (true, true):
            ranges[index - 1] = ranges[index - 1].lowerBound...ranges[index].upperBound
            ranges.remove(at: index)
        case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound...ordinal
        case (false, true): ranges[index] = ordinal...ranges[index].upperBound
        case (false, false): ranges.insert(ordinal...ordinal, at: index)
        }
        return true
    }

    /// Adds many ordinals, and returns how many of them were there, or are in the list more than once.
    ///
    /// One pass over the ranges from the lowest of them on, so that a large answer of a service costs no more than its records.
    package mutating func insert(contentsOf ordinals: [Int64]) -> Int {
        guard let lowest = ordinals.min() else { return 0 }
        var repeated = 0
        let old = Array(ranges[indexOfRange(endingAtOrAfter: lowest - 1)...])
        ranges.removeLast(old.count)
        var rest = old[...]
        for ordinal in ordinals.sorted() {
            while let next = rest.first, next.lowerBound <= ordinal {
                append(next)
                rest.removeFirst()
            }
            if let last, ordinal <= last { repeated += 1 } else { append(ordinal...ordinal) }
        }
        for range in rest { append(range) }
        return repeated
    }

    /// Removes the lowest range, and returns it.
    package mutating func removeFirst() -> ClosedRange<Int64> { ranges.removeFirst() }

    /// The ordinals of a range that are not in this set.
    package func gaps(in range: ClosedRange<Int64>) -> OrdinalRanges {
        var gaps = OrdinalRanges()
        var next = range.lowerBound
        for taken in ranges[indexOfRange(endingAtOrAfter: range.lowerBound)...] {
            guard taken.lowerBound <= range.upperBound else { break }
            if next < taken.lowerBound { gaps.append(next...(taken.lowerBound - 1)) }
            next = taken.upperBound + 1
        }
        if next <= range.upperBound { gaps.append(next...range.upperBound) }
        return gaps
    }

    /// The ordinals of this set that are in another one.
    package func intersection(_ other: OrdinalRanges) -> OrdinalRanges {
        var common = OrdinalRanges()
        var (own, others) = (ranges[...], other.ranges[...])
        while let a = own.first, let b = others.first {
            if a.overlaps(b) { common.append(a.clamped(to: b)) }
            if a.upperBound < b.upperBound { own.removeFirst() } else { others.removeFirst() }
        }
        return common
    }

    /// The ordinals of this set that are not in another one.
    package func subtracting(_ other: OrdinalRanges) -> OrdinalRanges {
        var left = OrdinalRanges()
        for range in ranges {
            for gap in other.gaps(in: range).ranges { left.append(gap) }
        }
        return left
    }

    /// Appends a range that does not begin before the last one.
    private mutating func append(_ range: ClosedRange<Int64>) {
        guard let end = ranges.last, end.upperBound >= range.lowerBound - 1 else { return ranges.append(range) }
        ranges[ranges.count - 1] = end.lowerBound...max(end.upperBound, range.upperBound)
    }

    private func indexOfRange(endingAtOrAfter ordinal: Int64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < ordinal { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
