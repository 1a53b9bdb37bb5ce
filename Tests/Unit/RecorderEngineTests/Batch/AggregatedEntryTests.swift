import RecordFormats
import RecorderAWS
import RecorderTestSupport
import Testing

extension AggregatedEntry {
    /// Appends a record; false if the entry is full.
    mutating func append(_ data: [UInt8], key: String) -> Bool {
        data.withUnsafeBytes { data in
            Array(key.utf8).withUnsafeBytes { append(data: data, partitionKey: $0) }
        }
    }

    /// Appends records; for each, whether it was taken.
    mutating func append(_ records: [(data: [UInt8], key: String)]) -> [Bool] {
        records.map { append($0.data, key: $0.key) }
    }

    /// The number of records like these that it takes, one after the other, and the encoded entry.
    mutating func fill(_ data: [UInt8], key: (Int) -> String) throws -> (count: Int, bytes: [UInt8]) {
        while append(data, key: key(count)) {}
        return (count, encoded())
    }
}

/// The data of entries that hold many records.
@Suite struct AggregatedEntryTests {
    @Test func `records with the entry's key become the bytes that AWS's library for Python makes of them`() throws {
        var entry = AggregatedEntry(maximumBytes: 51_200)
        let taken = entry.append([(Array("one".utf8), "k"), (Array("two".utf8), "k")])
        #expect(taken == [true, true])
        let expected = "84mawgoBaxoHCAAaA29uZRoHCAAaA3R3b0s8vQwjbuq1OM6wBLyAHeA="
        #expect(Base64.text(entry.encoded()) == expected)
    }

    @Test func `records with keys of their own get the hash of the entry's key, as that library would write it`() throws
    {
        var entry = AggregatedEntry(maximumBytes: 51_200, hashKeyOf: Array("entry key".utf8))
        let taken = entry.append([(Array("one".utf8), "a"), (Array(0..<200), "a"), ([], "ключ 🦆")])
        #expect(taken == [true, true, true])
        let expected = """
            84mawgoBYQoN0LrQu9GO0Ycg8J+mhhImNjc5MzM0MzQzOTk5NTY3MzQwMTY2MDg4NjI5MTIzMjAwNTU5NDYaCQgAEAAaA29uZRrPAQgAEAAayAEAAQI\
            DBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWF\
            laW1xdXl9gYWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo+QkZKTlJWWl5iZmpucnZ6foKGio6SlpqeoqaqrrK2ur\
            7CxsrO0tba3uLm6u7y9vr/AwcLDxMXGxxoGCAEQABoAnFBORGBTV8Jcb2ffUaA9Mg==
            """
        let bytes = entry.encoded()
        #expect(Base64.text(bytes) == expected)
        let records = try #require(AggregatedEntry.records(in: bytes))
        #expect(records.map(\.partitionKey) == ["a", "a", "ключ 🦆"])
        #expect(records.map { Array($0.data) } == [Array("one".utf8), Array(0..<200), []])
        #expect(records.allSatisfy { $0.explicitHashKey == "67933434399956734016608862912320055946" })
    }

    @Test func `what was aggregated is read as it was: data, keys, order`() throws {
        var random = SeededRandom(1)
        for round in 0..<200 {
            let key = round % 2 == 0 ? nil : Array("entry \(round)".utf8)
            var entry = AggregatedEntry(maximumBytes: 1 << 20, hashKeyOf: key)
            let keys = (0..<Int.random(in: 1...200, using: &random)).map { "\(round) \($0) 🦆é" }
            var saved: [(data: [UInt8], key: String)] = []
            for _ in 0..<Int.random(in: 1...400, using: &random) {
                let size = [0, 1, 127, 128, 1_000].randomElement(using: &random) ?? 0
                let data = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
                let key = keys.randomElement(using: &random) ?? ""
                if entry.append(data, key: key) { saved.append((data, key)) }
            }
            let bytes = entry.encoded()
            #expect(bytes.count == entry.encodedCount && entry.count == saved.count)
            let records = try #require(AggregatedEntry.records(in: bytes))
            #expect(records.map { Array($0.data) } == saved.map(\.data))
            #expect(records.map { Array($0.partitionKey.utf8) } == saved.map { Array($0.key.utf8) })
            #expect(records.allSatisfy { ($0.explicitHashKey == nil) == (round % 2 == 0) })
        }
    }

    @Test(arguments: [100, 1_000, 51_200, 200_000], [nil, "entry key"])
    func `an entry is never larger than its limit, and a record that does not fit changes nothing`(
        limit: Int,
        key: String?
    ) throws {
        for size in [0, 1, 30] {
            var entry = AggregatedEntry(maximumBytes: limit, hashKeyOf: key.map { Array($0.utf8) })
            let (count, bytes) = try entry.fill([UInt8](repeating: 1, count: size)) { "key \($0 / 3)" }
            #expect(bytes.count <= limit)
            #expect(try #require(AggregatedEntry.records(in: bytes)).count == count)
            let takesMore = entry.append([UInt8](repeating: 1, count: limit), key: "another")
            #expect(!takesMore && entry.count == count && entry.encoded() == bytes)
        }
    }

    @Test func `a record fits exactly up to the limit, and one byte less refuses it`() throws {
        for size in [0, 100, 125, 126, 127, 128, 16_383, 16_384] {
            let data = [UInt8](repeating: 1, count: size)
            var unlimited = AggregatedEntry(maximumBytes: .max)
            let takesAny = unlimited.append(data, key: "k")
            var exact = AggregatedEntry(maximumBytes: unlimited.encodedCount)
            let takesExact = exact.append(data, key: "k")
            #expect(takesAny && takesExact && exact.encoded().count == unlimited.encodedCount)
            var tight = AggregatedEntry(maximumBytes: unlimited.encodedCount - 1)
            let takesMore = tight.append(data, key: "k")
            #expect(!takesMore && tight.count == 0)
        }
    }

    @Test func `250 records of 200 bytes with one key fit into 52 KB`() throws {
        var entry = AggregatedEntry(maximumBytes: 52_024)
        let (count, bytes) = try entry.fill([UInt8](repeating: 1, count: 200)) { _ in "k" }
        #expect(count == 250 && bytes.count == 52_023)
    }
}
