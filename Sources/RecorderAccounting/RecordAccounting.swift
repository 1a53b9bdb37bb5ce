import RecordFormats

/// Recognizes records that a consumer has read before, and names those that are missing, by their partition keys.
///
/// Delivery is at least once: a sender that is killed between the service's answer and its own note of it sends up to a batch of
/// records again. Ask for each record, and skip the repeats:
///
/// ```swift
/// var accounting = RecordAccounting()
///
/// func handle(_ output: GetRecordsOutput) {
///     for record in output.records ?? [] where accounting.add(partitionKey: record.partitionKey ?? "") != .repeated {
///         print(record.data?.count ?? 0)
///     }
///     for gap in accounting.gaps { print("not read so far: \(gap)") }
/// }
/// ```
///
/// Records may arrive in any order: shards are read in parallel, and a record that the service refused at first is sent after
/// later ones. So a gap is not a loss until its records had time to arrive. A record that its device discarded or still holds is
/// a gap, too: `kinesis-recorder audit` tells these from lost ones.
///
/// All consumers of a stream must share one value, since the records of a store are in all shards. Save ``states`` in the same
/// transaction as what the records change, or after it.
///
/// ## How much it remembers
///
/// For each store and stream it keeps which ordinals it has seen, as ranges, in a text of at most 1,000 bytes. That is room for
/// 36 gaps, and usually for a hundred or more. If they do not fit, the gap with the lowest ordinals is given up: it is in
/// ``takeAbandonedGaps()``, and every record with an ordinal below its end is ``Finding/undetermined`` from then on.
public struct RecordAccounting: Sendable, Hashable {
    /// What is known of a record.
    public enum Finding: Sendable, Hashable {
        /// It has not been added before. Process it.
        case new
        /// It has been added before. Skip it.
        case repeated
        /// Its ordinal is so low that the state no longer says whether it was added. Process it if repeats do less harm than
        /// losses.
        case undetermined
    }

    /// Ordinals that have not been seen, between others that have.
    public struct Gap: Sendable, Hashable, CustomStringConvertible {
        /// As in ``AWSRecordIdentity``.
        public let storeID: String
        /// As in ``AWSRecordIdentity``.
        public let streamNumber: Int
        /// As in ``AWSRecordIdentity``.
        public let ordinals: ClosedRange<Int64>

        /// As in `records 5 to 9 of stream 1 in store 5A0C2F9E71B3D44`.
        public var description: String {
            let (first, last) = (ordinals.lowerBound, ordinals.upperBound)
            let records = first == last ? "record \(first)" : "records \(first) to \(last)"
            return "\(records) of stream \(streamNumber) in store \(storeID)"
        }
    }

    private struct Source: Hashable {
        let storeID: String
        let streamNumber: Int
    }

    private var accounts: [Source: SeenOrdinals] = [:]
    private var abandoned: [Gap] = []

    /// Nothing has been read.
    public init() {}

    /// Adds a record that was read.
    ///
    /// - Parameter partitionKey: its key.
    /// - Returns: nil if the key names no record, see ``AWSRecordIdentity``.
    @discardableResult
    public mutating func add(partitionKey: String) -> Finding? {
        AWSRecordIdentity(partitionKey: partitionKey).map { add($0) }
    }

    /// Adds a record that was read.
    @discardableResult
    public mutating func add(_ identity: AWSRecordIdentity) -> Finding {
        let source = Source(storeID: identity.storeID, streamNumber: identity.streamNumber)
        var closed: [ClosedRange<Int64>] = []
        let finding = accounts[source, default: SeenOrdinals()].add(identity.ordinal, abandoned: &closed)
        for ordinals in closed {
            abandoned.append(Gap(storeID: source.storeID, streamNumber: source.streamNumber, ordinals: ordinals))
        }
        return finding
    }

    /// The ordinals that have not been seen, between the first one and the last one that have, of every store; by store, stream
    /// and ordinal.
    ///
    /// What is missing before the first one or after the last one cannot be known here.
    public var gaps: [Gap] {
        accounts.sorted { ($0.key.storeID, $0.key.streamNumber) < ($1.key.storeID, $1.key.streamNumber) }
            .flatMap { source, seen in
                seen.gaps.map { Gap(storeID: source.storeID, streamNumber: source.streamNumber, ordinals: $0) }
            }
    }

    /// The gaps that were given up since the last call, because there were too many. They are not part of ``states``: log them
    /// after each batch of records.
    public mutating func takeAbandonedGaps() -> [Gap] {
        defer { abandoned = [] }
        return abandoned
    }
}

// MARK: - saving it

extension RecordAccounting: Codable {
    /// What is remembered of each store and stream, by a name such as `5A0C2F9E71B3D44/1`. Name and text together have at most
    /// 1,024 bytes, so that each can be an item of its own in a database, changed on its own.
    ///
    /// The text is a list of numbers: the ordinal below which nothing is known, then in turn how many ordinals were not seen
    /// and how many were. `0 0 100 2 50` says: 0 to 99 were seen, 100 and 101 were not, 102 to 151 were.
    public var states: [String: String] {
        var states: [String: String] = [:]
        for (source, seen) in accounts { states["\(source.storeID)/\(source.streamNumber)"] = seen.text }
        return states
    }

    /// Continues with ``states`` that were saved, of all stores or of some.
    ///
    /// - Throws: `DecodingError` if a name or a text is not of that form. A name is spelled as in ``states``, so that no two
    ///   stand for one store and stream.
    public init(states: [String: String]) throws {
        for (name, text) in states {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, RecordIdentity.store(String(parts[0])) != nil, let number = Int(parts[1]),
                "\(number)" == parts[1], let seen = SeenOrdinals(text)
            else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(codingPath: [], debugDescription: "no state of a RecordAccounting: \(name)")
                )
            }
            accounts[Source(storeID: String(parts[0]), streamNumber: number)] = seen
        }
    }

    /// Decodes ``states``.
    public init(from decoder: any Decoder) throws {
        try self.init(states: try [String: String](from: decoder))
    }

    /// Encodes ``states``.
    public func encode(to encoder: any Encoder) throws {
        try states.encode(to: encoder)
    }
}

// MARK: - one store's records of one stream

private struct SeenOrdinals: Hashable {
    /// The longest text, in bytes. A name has at most 23 bytes.
    private static let mostBytes = 1_000
    /// The longest texts of an ordinal, and of a gap and the ordinals after it, with their spaces.
    private static let (ordinalBytes, rangeBytes) = (13, 26)

    /// Below it, nothing is known.
    private var floor: Int64 = 0
    private var seen = OrdinalRanges()

    init() {}

    mutating func add(_ ordinal: Int64, abandoned: inout [ClosedRange<Int64>]) -> RecordAccounting.Finding {
        guard ordinal >= floor else { return .undetermined }
        guard seen.insert(ordinal) else { return .repeated }
        while !fits, let next = seen.ranges.dropFirst().first {
            abandoned.append((seen.removeFirst().upperBound + 1)...(next.lowerBound - 1))
            floor = next.lowerBound
        }
        return .new
    }

    var gaps: [ClosedRange<Int64>] {
        guard let first = seen.first, let last = seen.last else { return [] }
        return seen.gaps(in: first...last).ranges
    }

    private var fits: Bool {
        if Self.ordinalBytes + seen.ranges.count * Self.rangeBytes <= Self.mostBytes { return true }
        return numbers.reduce(-1) { $0 + 1 + Self.digits(of: $1) } <= Self.mostBytes
    }

    private static func digits(of number: Int64) -> Int {
        var (left, digits) = (number, 1)
        while left >= 10 { (left, digits) = (left / 10, digits + 1) }
        return digits
    }

    // MARK: text

    var text: String { numbers.map { "\($0)" }.joined(separator: " ") }

    private var numbers: [Int64] {
        var numbers = [floor]
        var end = floor
        for range in seen.ranges {
            numbers += [range.lowerBound - end, Int64(range.count)]
            end = range.upperBound + 1
        }
        return numbers
    }

    /// nil if the text is not of that form.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        let numbers = words.compactMap { Int64($0) }
        guard numbers.count == words.count, numbers.count % 2 == 1, text.utf8.count <= Self.mostBytes,
            numbers.allSatisfy({ (0...1 << 40).contains($0) })
        else { return nil }
        floor = numbers[0]
        var end = floor
        var ranges: [ClosedRange<Int64>] = []
        for index in stride(from: 1, to: numbers.count, by: 2) where numbers[index + 1] > 0 {
            let first = end + numbers[index]
            end = first + numbers[index + 1]
            ranges.append(first...(end - 1))
        }
        seen = OrdinalRanges(ranges)
    }
}
