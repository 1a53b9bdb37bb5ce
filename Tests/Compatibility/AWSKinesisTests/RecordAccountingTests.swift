import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// Reading the keys that name records, and telling repeats and gaps by them. The example in Python is the other implementation.
@Suite(.timeLimit(.minutes(5))) struct RecordAccountingTests {
    private static let store = "5A0C2F9E71B3D44"

    /// A key as a store makes it.
    private func key(_ ordinal: Int64, stream: Int = 1, store: String = store) -> String {
        NumberedKeys(store: store, stream: stream)[ordinal]
    }

    // MARK: keys

    @Test(arguments: [(1, 0), (1, 9), (77, 1 << 40 - 1), (1 << 22, 123_456_789_012)] as [(Int, Int64)])
    func `a key names store, stream and record`(stream: Int, ordinal: Int64) throws {
        let identity = try #require(AWSRecordIdentity(partitionKey: key(ordinal, stream: stream)))
        #expect(identity.storeID == Self.store && identity.streamNumber == stream && identity.ordinal == ordinal)
    }

    @Test func `the key in the documentation is record 9 of stream 1`() throws {
        let identity = try #require(AWSRecordIdentity(partitionKey: "5A0C2F9E-71B3-8D44-8000-010000000009"))
        #expect(identity.storeID == Self.store && identity.streamNumber == 1 && identity.ordinal == 9)
    }

    @Test func `a recorder's keys name its records in the order of their saves`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("identities")
        let recorder = try Recorders.kinesis(url: moto.url)
        for text in ["0", "1", "2"] {
            _ = try await recorder.saveRecord(Data(text.utf8), streamName: "identities").value
        }
        _ = try await recorder.saveRecord(Data("x".utf8), streamName: "identities", partitionKey: "k").value
        #expect(await recorder.submitAllRecords().failure() == nil)
        let records = try await moto.kinesisRecords("identities")
        let identities = records.map { AWSRecordIdentity(partitionKey: $0.partitionKey) }
        #expect(identities.map { $0?.ordinal } == records.map { Int64($0.text) })
        #expect(Set(identities.compactMap(\.?.storeID)).count == 1)
    }

    @Test func `with randomKeys, records have keys that name none`() async throws {
        let moto = try await MotoServer.shared()
        try await moto.createStream("random-keys")
        let recorder = try Recorders.kinesis(url: moto.url)
        recorder.randomKeys = true
        _ = try await recorder.saveRecords((0..<20).map { Data("\($0)".utf8) }, streamName: "random-keys").value
        _ = try await recorder.saveRecord(Data("x".utf8), streamName: "random-keys", partitionKey: "k").value
        #expect(await recorder.submitAllRecords().failure() == nil)
        let keys = try await moto.kinesisRecords("random-keys").map(\.partitionKey)
        #expect(Set(keys).count == 21 && keys.last == "k")
        for key in keys.dropLast() {
            #expect(UUID(uuidString: key)?.uuidString == key && key.dropFirst(14).first == "4")
            #expect(AWSRecordIdentity(partitionKey: key) == nil)
        }
    }

    @Test func `randomKeys and omitsPartitionKeys exclude each other, and neither is on by default`() throws {
        let recorder = try Recorders.kinesis(url: "http://127.0.0.1:1")
        #expect(!recorder.randomKeys && !recorder.omitsPartitionKeys)
        recorder.randomKeys = true
        recorder.omitsPartitionKeys = false
        #expect(recorder.randomKeys)
        recorder.omitsPartitionKeys = true
        #expect(!recorder.randomKeys && recorder.omitsPartitionKeys)
        recorder.randomKeys = false
        #expect(recorder.omitsPartitionKeys)
        recorder.randomKeys = true
        #expect(recorder.randomKeys && !recorder.omitsPartitionKeys)
    }

    @Test func `any other key names none`() {
        let key = key(9)
        let others = [
            "", "k", UUID().uuidString, key.lowercased(), String(key.dropLast()), key + "0",
            "00000000-0000-8000-8000-010000000000",
            key.replacingOccurrences(of: "-8D", with: "-4D"), key.replacingOccurrences(of: "-8000", with: "-C000"),
            key.replacingOccurrences(of: "-", with: "0"), "5A0C2F9E-71B3-8D44-8000-01000000000é",
        ]
        for other in others { #expect(AWSRecordIdentity(partitionKey: other) == nil, "\(other)") }
    }

    // MARK: repeats and gaps

    @Test func `a record that comes again is a repeat, and what never came is a gap`() {
        var accounting = RecordAccounting()
        for ordinal: Int64 in [3, 4, 7, 5, 20] { #expect(accounting.add(partitionKey: key(ordinal)) == .new) }
        for ordinal: Int64 in [3, 5, 20] { #expect(accounting.add(partitionKey: key(ordinal)) == .repeated) }
        #expect(accounting.add(partitionKey: "k") == nil)
        #expect(accounting.add(partitionKey: key(4, stream: 2)) == .new)
        #expect(accounting.add(partitionKey: key(4, store: "000000000000001")) == .new)
        #expect(accounting.gaps.map(\.ordinals) == [6...6, 8...19])
        #expect(
            accounting.gaps.map(\.description) == [
                "record 6 of stream 1 in store \(Self.store)", "records 8 to 19 of stream 1 in store \(Self.store)",
            ]
        )
        #expect(accounting.add(partitionKey: key(0)) == .new)
        #expect(accounting.gaps.map(\.ordinals) == [1...2, 6...6, 8...19])
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `in any order, with any repeats, every record is new exactly once`(seed: UInt64) {
        var random = SeededRandom(seed)
        var accounting = RecordAccounting()
        var seen: Set<Int64> = []
        for base in stride(from: 0 as Int64, to: 20_000, by: 50) {
            // A window of the records in flight.
            let ordinals = (0..<80).map { _ in base + Int64.random(in: 0..<60, using: &random) }
            for ordinal in ordinals {
                let finding = accounting.add(partitionKey: key(ordinal))
                if finding == .undetermined { continue }
                #expect(finding == (seen.contains(ordinal) ? .repeated : .new))
                seen.insert(ordinal)
            }
            guard base.isMultiple(of: 1_000) else { continue }
            for gap in accounting.gaps { #expect(gap.ordinals.allSatisfy { !seen.contains($0) }) }
        }
    }

    @Test
    func `what is remembered of a store takes 1 KiB at most, and gaps that do not fit are given up, the lowest first`()
    {
        var accounting = RecordAccounting()
        var abandoned: [ClosedRange<Int64>] = []
        for ordinal in 0..<5_000 as Range<Int64> { _ = accounting.add(partitionKey: key(ordinal * 1_000_003)) }
        abandoned = accounting.takeAbandonedGaps().map(\.ordinals)
        #expect(accounting.takeAbandonedGaps().isEmpty)
        for (name, text) in accounting.states { #expect(name.utf8.count + text.utf8.count <= 1_024) }
        let gaps = accounting.gaps.map(\.ordinals)
        #expect(gaps.count > 70)
        let all = (0..<4_999 as Range<Int64>).map { ($0 * 1_000_003 + 1)...(($0 + 1) * 1_000_003 - 1) }
        #expect(abandoned + gaps == all)
        #expect(accounting.add(partitionKey: key(1)) == .undetermined)
        #expect(accounting.add(partitionKey: key(0)) == .undetermined)
        #expect(accounting.add(partitionKey: key(4_999 * 1_000_003)) == .repeated)
        #expect(accounting.add(partitionKey: key(4_999 * 1_000_003 - 1)) == .new)
    }

    @Test func `a saved state continues where it was`() throws {
        var first = RecordAccounting()
        for ordinal: Int64 in [0, 1, 5, 1 << 40 - 1] { first.add(partitionKey: key(ordinal)) }
        var second = try JSONDecoder().decode(RecordAccounting.self, from: JSONEncoder().encode(first))
        #expect(second == first && second.gaps == first.gaps)
        #expect(second.add(partitionKey: key(5)) == .repeated && second.add(partitionKey: key(2)) == .new)
        #expect(first.states == ["\(Self.store)/1": "0 0 2 3 1 1099511627769 1"])
        #expect(try RecordAccounting(states: first.states) == first)
    }

    @Test(arguments: [
        ["x/1": "0"], ["\(store)": "0"], ["\(store)/1": ""], ["\(store)/1": "0 1"], ["\(store)/1": "0 -1 1"],
        ["\(store)/1": "0 a 1"], ["\(store)/1": "0 1 99999999999999999999"],
        // Another spelling of a name, alone and beside the other.
        ["\(store)/01": "0"], ["\(store)/+1": "0", "\(store)/1": "0"], ["\(store)/-0": "0"],
        ["\(store.lowercased())/1": "0"],
    ])
    func `a state that was not saved by it is an error`(states: [String: String]) {
        #expect(throws: DecodingError.self) { try RecordAccounting(states: states) }
    }

    // MARK: in Python

    private struct Job: Encodable {
        struct Event: Encodable {
            struct Record: Encodable {
                struct Kinesis: Encodable {
                    let partitionKey: String
                    let data: Data
                }

                let kinesis: Kinesis
            }

            let Records: [Record]
        }

        var batches: [[String]] = []
        var events: [Event] = []
    }

    private struct Answer: Decodable {
        let findings: [[String?]]
        let states: [String: String]
        let gaps: [String: [[Int64]]]
        let processed: [[String?]]
    }

    private func run(_ job: Job) async throws -> Answer {
        try await JSONDecoder().decode(
            Answer.self,
            from: LocalPython.run("check_accounting.py", input: JSONEncoder().encode(job))
        )
    }

    @Test func `the example in Python finds the same, and saves the same state`() async throws {
        var random = SeededRandom(3)
        var job = Job()
        for batch in 0..<40 as Range<Int64> {
            job.batches.append(
                (0..<100).map { _ in
                    let ordinal = batch * 20 + Int64.random(in: 0..<60, using: &random)
                    return Int.random(in: 0..<20, using: &random) == 0
                        ? "other" : key(ordinal, stream: Int.random(in: 1...2, using: &random))
                }
            )
        }
        // Batches whose gaps do not fit, and in which records come that were given up before in the same batch.
        for batch in 0..<3 as Range<Int64> {
            job.batches.append(
                (0..<400).map { _ in key(batch * 1_000 + Int64.random(in: 0..<3_000, using: &random) * 1_001, stream: 4)
                }
            )
        }
        job.batches.append((0..<400 as Range<Int64>).map { key($0 * 77_777, stream: 3) })
        var accounting = RecordAccounting()
        let findings = job.batches.map { keys in
            keys.map { key in accounting.add(partitionKey: key).map { "\($0)" } }
        }
        let answer = try await run(job)
        #expect(answer.findings == findings)
        #expect(answer.states == accounting.states)
        for (name, gaps) in answer.gaps {
            let own = accounting.gaps.filter { name == "\($0.storeID)/\($0.streamNumber)" }.map(\.ordinals)
            #expect(gaps == own.map { [$0.lowerBound, $0.upperBound] })
        }
    }

    @Test func `the function of the example processes each record once, and those of other producers each time`()
        async throws
    {
        func event(_ keys: [String]) -> Job.Event {
            Job.Event(Records: keys.map { .init(kinesis: .init(partitionKey: $0, data: Data($0.utf8))) })
        }
        let keys = (0..<5 as Range<Int64>).map { key($0) }
        let events = [event(Array(keys[..<3]) + ["other"]), event(Array(keys[1...]) + ["other"]), event(keys)]
        let processed = try await run(Job(events: events)).processed
        let texts = processed.map { $0.first.flatMap { $0 }.flatMap { Data(base64Encoded: $0) } }
        #expect(
            texts.compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }.sorted()
                == (keys + ["other", "other"]).sorted()
        )
    }
}
