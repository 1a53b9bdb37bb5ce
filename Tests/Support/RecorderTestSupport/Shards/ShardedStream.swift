import RecordFormats
import RecorderAWS

/// A stream of Kinesis as a producer sees it: shards with equal ranges of hash keys, which throttle entry by entry. Pure.
package struct ShardedStream: Sendable {
    /// One entry of a request.
    package struct Entry: Sendable {
        package let data: [UInt8]
        package let partitionKey: String
        /// Replaces the hash of the partition key.
        package let explicitHashKey: UInt128?

        package init(data: [UInt8], partitionKey: String, explicitHashKey: UInt128? = nil) {
            self.data = data
            self.partitionKey = partitionKey
            self.explicitHashKey = explicitHashKey
        }

        /// What counts for a shard's limit of bytes.
        package var bytes: Int { data.count + partitionKey.utf8.count }

        package var hashKey: UInt128 { explicitHashKey ?? Self.hash(of: partitionKey) }

        /// The MD5 of a partition key, as a number.
        package static func hash(of partitionKey: String) -> UInt128 {
            let digest = Digest.md5(Array(partitionKey.utf8)[...]) ?? []
            precondition(digest.count == Digest.md5Length, "OpenSSL has no MD5 here.")
            return digest.reduce(0) { $0 << 8 | UInt128($1) }
        }
    }

    /// Where an accepted entry was stored.
    package struct Receipt: Sendable, Hashable {
        package let shard: Int
        /// Increases within a shard.
        package let number: Int

        /// As the service writes it.
        package var sequenceNumber: String {
            let digits = String(number)
            return "4965" + String(repeating: "0", count: 52 - digits.count) + digits
        }
    }

    /// The name of a shard, as the service writes it.
    package static func shardID(_ shard: Int) -> String {
        let digits = String(shard)
        return "shardId-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    private var buckets: [ShardBucket]
    private var accepted = 0

    /// Open shards with full buckets.
    package init(shards: Int, limits: ShardBucket.Limits = ShardBucket.Limits()) {
        buckets = Array(repeating: ShardBucket(limits), count: shards)
    }

    /// The shard of a hash key.
    package func shard(of hashKey: UInt128) -> Int {
        Int(hashKey.multipliedFullWidth(by: UInt128(buckets.count)).high)
    }

    /// Offers the entries of one request, in order. nil for an entry that is throttled.
    package mutating func put(
        _ entries: some Sequence<(shard: Int, bytes: Int)>,
        at now: ContinuousClock.Instant
    ) -> [Receipt?] {
        for index in buckets.indices { buckets[index].refill(at: now) }
        return entries.map { shard, bytes in
            guard buckets[shard].takes(bytes) else { return nil }
            accepted += 1
            return Receipt(shard: shard, number: accepted)
        }
    }
}
