import RecordFormats
import RecorderTestSupport
import Testing

/// Ranges of ordinals against sets of them.
@Suite struct OrdinalRangesTests {
    /// Sorted, with gaps between them.
    private func isNormal(_ ranges: OrdinalRanges) -> Bool {
        zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `ordinals that are added one by one or many at a time are the same set`(seed: UInt64) {
        var random = SeededRandom(seed)
        var (single, many, set) = (OrdinalRanges(), OrdinalRanges(), Set<Int64>())
        for _ in 0..<60 {
            let base = Int64.random(in: 0..<400, using: &random)
            let ordinals = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
                base + Int64.random(in: 0..<50, using: &random)
            }
            let repeated = ordinals.count { !set.insert($0).inserted }
            #expect(ordinals.count { !single.insert($0) } == repeated)
            #expect(many.insert(contentsOf: ordinals) == repeated)
            #expect(single == many && isNormal(many) && many.count == set.count)
        }
        #expect((0..<460).allSatisfy { many.contains($0) == set.contains($0) })
        #expect(many.first == set.min() && many.last == set.max())
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `gaps, intersections and differences are those of sets`(seed: UInt64) {
        var random = SeededRandom(seed)
        let sets = (0..<2).map { _ in
            Set((0..<Int.random(in: 0..<60, using: &random)).map { _ in Int64.random(in: 0..<100, using: &random) })
        }
        let ranges = sets.map { set in OrdinalRanges(set.map { $0...$0 }) }
        let (low, high) = (Int64.random(in: 0..<50, using: &random), Int64.random(in: 50..<100, using: &random))
        let cases: [(OrdinalRanges, Set<Int64>)] = [
            (ranges[0].gaps(in: low...high), Set(low...high).subtracting(sets[0])),
            (ranges[0].intersection(ranges[1]), sets[0].intersection(sets[1])),
            (ranges[0].subtracting(ranges[1]), sets[0].subtracting(sets[1])),
        ]
        for (result, set) in cases {
            #expect(isNormal(result) && Set(result.ranges.flatMap(\.self)) == set)
        }
    }
}
