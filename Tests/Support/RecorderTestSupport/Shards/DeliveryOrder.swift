/// The order in which numbered records of many sources arrived first. Each source numbers its records from 0.
package struct DeliveryOrder: Sendable {
    fileprivate struct Source {
        var hasArrived: [Bool] = []
        var latest = -1
    }

    private var sources: [String: Source] = [:]
    /// Records that arrived, each counted once.
    package private(set) var records = 0
    /// Deliveries beyond the first of a record.
    package private(set) var repeats = 0
    /// First deliveries of records whose source had a younger one delivered before.
    package private(set) var inversions = 0
    /// Records that do not say what they are.
    package private(set) var unreadable = 0

    package init() {}

    /// Takes note of a delivery. A record's data is `<source> <number>`, with anything after another space.
    package mutating func add(_ data: ArraySlice<UInt8>) {
        let words = data.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, let number = Int(String(decoding: words[1], as: UTF8.self)), number >= 0 else {
            unreadable += 1
            return
        }
        add(number, of: String(decoding: words[0], as: UTF8.self))
    }

    private mutating func add(_ number: Int, of name: String) {
        let (isNew, isLate) = sources[name, default: Source()].add(number)
        if isNew { records += 1 } else { repeats += 1 }
        if isLate { inversions += 1 }
    }

    /// How many of a source's records 0..<count have not arrived.
    package func missing(of source: String, count: Int) -> Int {
        let arrived = sources[source]?.hasArrived.prefix(count).count { $0 } ?? 0
        return count - arrived
    }
}

extension DeliveryOrder.Source {
    fileprivate mutating func add(_ number: Int) -> (isNew: Bool, isLate: Bool) {
        if number >= hasArrived.count {
            hasArrived += Array(repeating: false, count: number + 1 - hasArrived.count)
        }
        guard !hasArrived[number] else { return (false, false) }
        hasArrived[number] = true
        defer { latest = max(latest, number) }
        return (true, number < latest)
    }
}
