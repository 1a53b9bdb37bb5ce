import RecordFormats
import RecorderAWS
import SimulatedMachine

/// How a stream places entries: by their keys into shards with equal parts of the hash keys, which another generation of shards
/// replaces when the stream is resharded, or by itself.
struct Shards {
    let stream: Int
    let generation: Int
    let isAutomatic: Bool

    /// Those that a stream has now.
    static func of(_ stream: Int) -> Shards {
        let number = Ledger.shards(of: stream).value
        return Shards(stream: stream, generation: number / 2, isAutomatic: number % 2 == 1)
    }

    /// The stream is resharded, or its strategy changes.
    static func change(_ stream: Int) {
        let now = of(stream)
        let isAutomatic = Chance.oneIn(3) != now.isAutomatic
        let generation = min(now.generation + Chance.below(2), 9)
        Ledger.shards(of: stream).value = generation * 2 + (isAutomatic ? 1 : 0)
        if isAutomatic { Ledger.wasAutomatic(stream).value = 1 }
        machine_tell("shards", Int64(generation), isAutomatic ? 1 : 0)
    }

    private var count: Int { Self.count(stream, generation) }

    private static func count(_ stream: Int, _ generation: Int) -> Int { 1 + (generation * 7 + stream) % 4 }

    private static func first(_ index: Int, of count: Int) -> UInt128 { UInt128.max / UInt128(count) * UInt128(index) }

    /// The number of the shard that holds a hash key.
    private func holder(of hashKey: UInt128) -> Int { min(Int(hashKey / (UInt128.max / UInt128(count))), count - 1) }

    /// The shard in which an entry is placed.
    func place(_ hashKey: UInt128) -> Int { isAutomatic ? Chance.below(count) : holder(of: hashKey) }

    /// Whether consumers built on the KCL take a record with this hash key from a shard.
    func takes(_ hashKey: UInt128, from shard: Int) -> Bool { holder(of: hashKey) == shard }

    func name(_ shard: Int) -> String { "shard-\(generation)-\(shard)" }

    static func hashKey(of key: some Sequence<UInt8>) -> UInt128 {
        (Digest.md5(Array(key)[...]) ?? []).reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The answers to DescribeStreamSummary and to ListShards.
    var summary: String {
        #"{"StreamDescriptionSummary":{"RecordDistributionStrategy":"\#(isAutomatic ? "AUTO" : "USER_PARTITION_KEY")"}}"#
    }

    var list: String {
        var shards: [String] = []
        for generation in 0...generation {
            let count = Self.count(stream, generation)
            for shard in 0..<count {
                let last = shard == count - 1 ? UInt128.max : Self.first(shard + 1, of: count) - 1
                shards.append(
                    #"{"ShardId":"shard-\#(generation)-\#(shard)","HashKeyRange":{"StartingHashKey":"\#(Self.first(shard, of: count))","#
                        + #""EndingHashKey":"\#(last)"}}"#
                )
            }
        }
        return #"{"Shards":[\#(shards.joined(separator: ","))]}"#
    }
}
