import RecorderAWS
import RecorderStore

/// The hash keys that the shards of a stream hold. Those of a shard never change: a resharded stream has shards with other names. A
/// stream that was deleted and created again may have other shards with the same names.
package struct ShardRanges: Sendable {
    private var ranges: [String: ClosedRange<UInt128>] = [:]

    package init() {}

    package var isEmpty: Bool { ranges.isEmpty }

    /// Whether a shard holds a hash key; nil if the shard is not known.
    package func holds(_ hashKey: UInt128, in shard: String) -> Bool? { ranges[shard]?.contains(hashKey) }

    /// Adds the shards of an answer to ListShards. Returns the token of its next page, an empty one if there is none; nil if it is
    /// not such an answer.
    package mutating func add(_ answer: [UInt8]) -> String? {
        guard let members = JSONValue(answer)?.object, let shards = members["Shards"]?.list else { return nil }
        for shard in shards.lazy.compactMap(\.object) {
            guard let name = shard["ShardId"]?.string, let range = shard["HashKeyRange"]?.object,
                let first = range["StartingHashKey"]?.string.flatMap({ UInt128($0) }),
                let last = range["EndingHashKey"]?.string.flatMap({ UInt128($0) }), first <= last
            else { continue }
            ranges[name] = first...last
        }
        return members["NextToken"]?.string ?? ""
    }
}

extension StreamServiceDescription {
    /// The request for the shards of a Kinesis stream, closed ones too, or for the next page of them.
    func shardsRequest(of stream: StreamName, token: String) -> CallRequest {
        let (field, name) = token.isEmpty ? member(naming: stream) : ("NextToken", token)
        return CallRequest(
            "ListShards",
            body: Array(#"{"\#(field)":\#(JSONText.quoted(name))}"#.utf8),
            context: context(of: stream),
            maximumResponseBytes: 32 << 20
        )
    }
}
