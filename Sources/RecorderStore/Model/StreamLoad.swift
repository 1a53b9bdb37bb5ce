/// What a request, or a part of one, takes of a stream's limits.
package struct StreamLoad: Sendable, Hashable {
    /// The entries of the request: records that the service counts.
    package var entries: Int
    /// Their data and partition keys, in bytes.
    package var bytes: Int

    /// Nothing, by default.
    package init(entries: Int = 0, bytes: Int = 0) {
        self.entries = entries
        self.bytes = bytes
    }

    /// Whether it has more entries or more bytes than another one.
    package func exceeds(_ limit: StreamLoad) -> Bool { entries > limit.entries || bytes > limit.bytes }

    /// The limit that two limits make together; nil stands for none.
    package static func smaller(of one: StreamLoad?, and other: StreamLoad?) -> StreamLoad? {
        guard let one, let other else { return one ?? other }
        return StreamLoad(entries: min(one.entries, other.entries), bytes: min(one.bytes, other.bytes))
    }

    package static func + (one: StreamLoad, other: StreamLoad) -> StreamLoad {
        StreamLoad(entries: one.entries + other.entries, bytes: one.bytes + other.bytes)
    }

    package static func += (sum: inout StreamLoad, load: StreamLoad) {
        sum = sum + load
    }
}
