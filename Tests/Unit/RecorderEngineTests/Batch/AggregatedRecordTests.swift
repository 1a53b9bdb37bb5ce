import RecordFormats
import RecorderAWS
import RecorderTestSupport
import Testing

/// A message between the magic bytes and its checksum.
func sealed(_ message: [UInt8]) -> [UInt8] { AggregatedEntry.magic + message + (Digest.md5(message[...]) ?? []) }

/// Messages for the reader, most of them damaged, with a valid checksum.
struct AggregatedMessageMaker {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed) }

    private func field(_ number: Int, containing content: [UInt8]) -> [UInt8] {
        var head: [UInt8] = []
        Protobuf.appendHead(ofBytes: content.count, field: number, to: &head)
        return head + content
    }

    /// A few keys, hash keys and records, in any order; an index may be out of range.
    private mutating func fields() -> [[UInt8]] {
        var fields = ["a", "ключ"].map { field(1, containing: Array($0.utf8)) }
        fields.append(field(2, containing: Array("12".utf8)))
        for number in 0..<UInt8.random(in: 0...6, using: &random) {
            var record: [UInt8] = [0x08, UInt8.random(in: 0...20, using: &random) == 0 ? 2 : number % 2]
            if Bool.random(using: &random) { record += [0x10, 0] }
            let size = Int.random(in: 0...140, using: &random)
            record += field(3, containing: [UInt8](repeating: number, count: size))
            record += extras.randomElement(using: &random) ?? []
            fields.append(field(3, containing: record))
        }
        return fields.shuffled(using: &random)
    }

    /// What may follow in a record: nothing mostly, tags, one without its key or malformed, groups, unknown fields.
    private let extras: [[UInt8]] =
        Array(repeating: [], count: 20) + [
            [0x22, 3, 0x0A, 1, 0x61], [0x22, 6, 0x0A, 1, 0x61, 0x12, 1, 0x62], [0x22, 0], [0x22, 1, 0x61],
            [0x22, 2, 8, 1],
            [0x2B, 8, 1, 0x33, 0x34, 0x2C], [0x2B], [0x2C], [0x28, 0x80, 0],
            [0x28] + [UInt8](repeating: 0xFF, count: 9) + [0x7F],
            [0xA8, 0x80, 0x80, 0x80, 0, 1], [0xA8, 0x80, 0x80, 0x80, 0x80, 0, 1],
        ]

    /// The next message: one of three is left as it is, the others are changed, cut off, or random bytes.
    mutating func next() -> [UInt8] {
        var message = Array(fields().joined())
        switch Int.random(in: 0..<6, using: &random) {
        case 0: message.removeLast(Int.random(in: 0...message.count, using: &random))
        case 1: message = (0..<Int.random(in: 1...60, using: &random)).map { _ in .random(in: 0...255, using: &random) }
        case 2...3:
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<message.count, using: &random)
                message[index] =
                    [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &random)]
                    .randomElement(using: &random) ?? 0
            }
        default: break
        }
        return message
    }
}

/// Aggregated data that is damaged, or that is none.
@Suite(.timeLimit(.minutes(5))) struct AggregatedRecordTests {
    private static let message: [UInt8] = [0x0A, 1, 0x6B, 0x1A, 7, 8, 0, 0x1A, 3, 0x6F, 0x6E, 0x65]

    private func texts(_ message: [UInt8]) -> [String]? {
        AggregatedEntry.records(in: sealed(message))?.map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test func `data that is not aggregated has no records in it`() {
        for data in [[], [0xF3], AggregatedEntry.magic, Array("text".utf8), sealed([])] {
            #expect(AggregatedEntry.records(in: data) == nil)
        }
        #expect(texts(Self.message) == ["one"])
    }

    @Test func `cut off anywhere, or with any bit changed, it is not read as aggregated`() {
        let data = sealed(Self.message)
        for count in data.indices { #expect(AggregatedEntry.records(in: Array(data.prefix(count))) == nil) }
        for bit in 0..<(8 * data.count) {
            var changed = data
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(AggregatedEntry.records(in: changed) == nil)
        }
    }

    @Test(
        arguments: [
            [0x1A, 2, 0x1A, 0], [0x1A, 2, 8, 0], [0x0A, 0, 0x1A, 4, 8, 1, 0x1A, 0],
            [0x0A, 0, 0x1A, 6, 8, 0, 0x10, 0, 0x1A, 0],
            [0x0A, 0, 0x1A, 13, 8] + [UInt8](repeating: 0xFF, count: 9) + [1, 0x1A, 0],
            [0x0A, 0, 0x1A, 13, 8] + [UInt8](repeating: 0xFF, count: 9) + [2, 0x1A, 0],
            [0x0A, 0, 0x1A, 4, 8, 0, 0x1A, 1, 0x61], [0x0A, 5, 0x61], [0x0A, 0, 0x1A, 4, 0x0A, 0, 0x1A, 0],
            // Tags: cut off, without a key. Groups: not ended, ended by another. A tag of six bytes.
            [0x0A, 0, 0x1A, 7, 8, 0, 0x1A, 0, 0x22, 1, 0x61], [0x0A, 0, 0x1A, 6, 8, 0, 0x1A, 0, 0x22, 0], [0x2B, 8, 1],
            [0x2B, 0x34], [0x2C], [0xA8, 0x80, 0x80, 0x80, 0x80, 0, 1],
        ] as [[UInt8]]
    )
    func `a message with a valid checksum is refused as a whole if any record of it is damaged`(damage: [UInt8]) {
        #expect(texts(damage) == nil)
        #expect(texts(Self.message + damage.dropFirst(damage.starts(with: [0x0A, 0]) ? 2 : 0)) == nil)
    }

    @Test func `tables after the records, repeated fields, tags and unknown fields are read as protobuf's rules say`() {
        #expect(texts(Array(Self.message[3...]) + Self.message[..<3]) == ["one"])
        #expect(texts(Self.message + [0x22, 1, 0x61, 0x28, 1] + Self.message) == ["one", "one"])
        let tag: [UInt8] = [0x22, 3, 0x0A, 1, 0x74]
        #expect(texts([0x0A, 0, 0x1A, 14, 8, 9, 8, 0, 0x1A, 0] + tag + [0x1A, 1, 0x61]) == ["a"])
        // A group in a group.
        #expect(texts(Self.message + [0x2B, 0x33, 8, 1, 0x34, 0x2C]) == ["one"])
        #expect(texts([0x0A, 0]) == [])
    }

    @Test func `bytes of a key that are not UTF-8 are replaced`() throws {
        let records = try #require(AggregatedEntry.records(in: sealed([0x0A, 2, 0xFF, 0x61, 0x1A, 4, 8, 0, 0x1A, 0])))
        #expect(records.map(\.partitionKey) == ["\u{FFFD}a"])
    }

    @Test func `what AWS's library for Python reads is read alike, and what it does not read is none`() async throws {
        var maker = AggregatedMessageMaker(seed: 11)
        let entries = (0..<4_000).map { _ in sealed(maker.next()) }
        let findings = try await AggregationOracle.findings(of: entries)
        let found = entries.map { entry in
            AggregatedEntry.records(in: entry)?.map { record in
                let key = record.partitionKey.contains("\u{FFFD}") ? "" : record.partitionKey
                return AggregationOracle.Fingerprint(key: key.utf8, data: record.data)
            }
        }
        let differing = entries.indices.filter { found[$0] != findings[$0] }
        #expect(differing.isEmpty, "\(differing.prefix(5).map { entries[$0] })")
        #expect(findings.count == 4_000 && findings.count { $0 == nil } > 1_000 && findings.count { $0 != nil } > 1_000)
    }

    @Test func `for any bytes, the result is none or parts of them`() async {
        let (read, wrong) = await onDedicatedThread { () -> (read: Int, wrong: [[UInt8]]) in
            var maker = AggregatedMessageMaker(seed: 7)
            var (read, wrong): (Int, [[UInt8]]) = (0, [])
            for _ in 0..<50_000 {
                let data = sealed(maker.next())
                guard let records = AggregatedEntry.records(in: data) else { continue }
                read += 1
                // A part of the data has its indexes.
                if records.contains(where: { data[$0.data.indices] != $0.data }) { wrong.append(data) }
            }
            return (read, wrong)
        }
        #expect(wrong == [])
        // Enough of each kind.
        #expect((10_000..<45_000).contains(read))
    }

    @Test func `a long key that many records share is stored once`() throws {
        var message: [UInt8] = []
        let key = [UInt8](repeating: 0x6B, count: 400_000)
        Protobuf.appendHead(ofBytes: key.count, field: 1, to: &message)
        message += key
        for _ in 0..<100_000 { message += [0x1A, 4, 8, 0, 0x1A, 0] }
        // A copy for each would take 40 GB.
        let records = try #require(AggregatedEntry.records(in: sealed(message)))
        #expect(records.count == 100_000)
        #expect(records.last?.partitionKey.utf8.count == 400_000)
    }
}
