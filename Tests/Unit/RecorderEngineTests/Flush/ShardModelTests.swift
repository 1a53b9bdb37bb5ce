import RecorderTestSupport
import Testing

/// The emulated shards that other tests measure against, in virtual time.
@Suite struct ShardModelTests {
    private let start = ContinuousClock.now

    private func put(_ stream: inout ShardedStream, _ bytes: [Int], after seconds: Double) -> [Bool] {
        stream.put(bytes.map { (shard: 0, bytes: $0) }, at: start + .seconds(seconds)).map { $0 != nil }
    }

    @Test func `a shard takes 1,000 entries at once, and as many each second`() {
        var stream = ShardedStream(shards: 1)
        #expect(put(&stream, Array(repeating: 1, count: 1_500), after: 0).count { $0 } == 1_000)
        #expect(put(&stream, Array(repeating: 1, count: 500), after: 0.25).count { $0 } == 250)
        #expect(put(&stream, Array(repeating: 1, count: 5_000), after: 60).count { $0 } == 1_000)
    }

    @Test func `a shard takes 1 MiB a second, and a smaller entry may fit where a larger one did not`() {
        var stream = ShardedStream(shards: 1)
        #expect(put(&stream, [1_000_000, 100_000, 48_576, 1], after: 0) == [true, false, true, false])
        #expect(put(&stream, [600_000, 500_000, 24_288], after: 0.5) == [false, true, true])
    }

    @Test func `shards have limits of their own, and numbers grow`() {
        var stream = ShardedStream(shards: 2)
        let entries = (0..<4_000).map { (shard: $0 % 2, bytes: 10) }
        let receipts = stream.put(entries, at: start).compactMap(\.self)
        #expect(receipts.count { $0.shard == 0 } == 1_000 && receipts.count { $0.shard == 1 } == 1_000)
        #expect(zip(receipts, receipts.dropFirst()).allSatisfy { $0.sequenceNumber < $1.sequenceNumber })
        #expect(receipts[0].sequenceNumber.count == 56)
    }

    @Test func `an entry belongs to the shard of its hash key: the MD5 of its partition key, or the one it names`() {
        let stream = ShardedStream(shards: 4)
        // echo -n device | md5sum
        #expect(ShardedStream.Entry.hash(of: "device") == 0x913F_9C49_DCB5_44E2_087C_EE28_4F4A_00B7)
        #expect(stream.shard(of: 0x913F_9C49_DCB5_44E2_087C_EE28_4F4A_00B7) == 2)
        #expect(ShardedStream(shards: 1).shard(of: .max) == 0)
        #expect(ShardedStream.Entry(data: [], partitionKey: "device", explicitHashKey: 7).hashKey == 7)
        let quarter: UInt128 = 1 << 126
        #expect(stream.shard(of: 0) == 0 && stream.shard(of: quarter - 1) == 0)
        #expect(stream.shard(of: quarter) == 1 && stream.shard(of: .max) == 3)
    }

    @Test func `the order of first deliveries counts a late record once, and a repeated one never`() {
        var order = DeliveryOrder()
        for text in ["a 0", "b 0", "a 2 x y", "a 1", "a 2 x y", "a 1", "a 3", "?"] { order.add(Array(text.utf8)[...]) }
        #expect(order.inversions == 1 && order.repeats == 2 && order.records == 5 && order.unreadable == 1)
        #expect(order.missing(of: "a", count: 5) == 1 && order.missing(of: "b", count: 1) == 0)
    }
}
