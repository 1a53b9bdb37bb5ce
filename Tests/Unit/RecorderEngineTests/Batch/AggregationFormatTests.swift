import Foundation
import RecordFormats
import RecorderTestSupport
import Testing

/// Aggregated entries, read and written by another implementation of the format, in Python.
@Suite(.timeLimit(.minutes(5))) struct AggregationFormatTests {
    private struct Record: Codable, Equatable {
        let partitionKey: String
        let explicitHashKey: String?
        let data: Data

        init(_ record: AggregatedRecord) {
            partitionKey = record.partitionKey
            explicitHashKey = record.explicitHashKey
            data = Data(record.data)
        }

        init(_ data: [UInt8], key: String, hashKey: String?) {
            partitionKey = key
            explicitHashKey = hashKey
            self.data = Data(data)
        }

        /// Strings are equal if their bytes are.
        static func == (left: Record, right: Record) -> Bool {
            left.data == right.data && left.partitionKey.utf8.elementsEqual(right.partitionKey.utf8)
                && left.explicitHashKey == right.explicitHashKey
        }
    }

    private struct Job: Encodable {
        var read: [Data] = []
        var write: [[Record]] = []
    }

    private struct Answer: Decodable {
        let read: [[Record]?]
        let written: [Data]
    }

    private func run(_ job: Job) async throws -> Answer {
        let input = try JSONEncoder().encode(job)
        return try JSONDecoder().decode(
            Answer.self,
            from: try await LocalPython.run("check_aggregation.py", input: input)
        )
    }

    private func read(_ data: some Sequence<UInt8>) -> [Record]? {
        AggregatedEntry.records(in: Array(data))?.map { Record($0) }
    }

    /// Records of any size, and any Unicode keys; some share a key.
    private static func records(_ count: Int, hashKeys: [String?], _ random: inout SeededRandom) -> [Record] {
        var keys: [String] = []
        return (0..<count).map { _ in
            let size = [0, 1, 127, 128, 300, 16_384, 20_000].randomElement(using: &random) ?? 0
            let data = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let scalars = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                Unicode.Scalar(UInt32.random(in: 1..<0x11_0000, using: &random)) ?? "🦆"
            }
            keys.append(String(String.UnicodeScalarView(scalars)))
            let key = keys.randomElement(using: &random) ?? ""
            return Record(data, key: key, hashKey: hashKeys.randomElement(using: &random) ?? nil)
        }
    }

    @Test func `what we aggregate, the other reader reads, and writes with the same bytes`() async throws {
        var random = SeededRandom(2)
        var job = Job()
        for round in 0..<30 {
            let key = round % 2 == 0 ? nil : "entry \(round)"
            var entry = AggregatedEntry(maximumBytes: 200_000, hashKeyOf: key.map { Array($0.utf8) })
            // The other one stores a key once even if other keys are between its records.
            let records = Self.records(30, hashKeys: [nil], &random).sorted { $0.partitionKey < $1.partitionKey }
            var taken = records.filter { entry.append(Array($0.data), key: $0.partitionKey) }
            let bytes = entry.encoded()
            if key != nil {
                let hashKey = try #require(AggregatedEntry.records(in: bytes)?.first?.explicitHashKey)
                taken = taken.map { Record(Array($0.data), key: $0.partitionKey, hashKey: hashKey) }
            }
            job.write.append(taken)
            job.read.append(Data(bytes))
        }
        let answer = try await run(job)
        #expect(answer.read == job.write.map(Optional.some))
        #expect(stride(from: 0, to: answer.written.count, by: 2).map { answer.written[$0] } == job.read)
    }

    @Test func `what the other one aggregates, in the usual form or not, we read`() async throws {
        var random = SeededRandom(3)
        var job = Job()
        for round in 0..<30 {
            let hashKeys: [String?] = round % 2 == 0 ? [nil] : ["0", "340282366920938463463374607431768211455"]
            job.write.append(Self.records(30, hashKeys: hashKeys, &random))
        }
        let written = try await run(job).written
        #expect(written.count == 60)
        for (index, data) in written.enumerated() { #expect(read(data) == job.write[index / 2], "\(index)") }
    }

    @Test func `both read the same, or nothing, from damaged messages with a valid checksum`() async throws {
        var maker = AggregatedMessageMaker(seed: 4)
        let job = Job(read: (0..<5_000).map { _ in Data(sealed(maker.next())) })
        let theirs = try await run(job).read
        #expect(theirs.contains { $0 == nil } && theirs.contains { ($0?.count ?? 0) > 1 })
        for (data, records) in zip(job.read, theirs) {
            #expect(read(data) == records, "\(data.base64EncodedString())")
        }
    }
}
