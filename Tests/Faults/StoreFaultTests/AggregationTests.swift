import Foundation
import RecordFormats
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

extension FaultRows {
    /// Aggregated records, read and written by AWS's library for Python.
    @Suite struct Aggregation {
        private typealias Fingerprint = AggregationOracle.Fingerprint

        /// Random bytes, and random Unicode keys of which some occur often.
        private struct Records {
            private var random: SeededRandom
            private let bytes: [UInt8]
            private let keys: [String]

            init(seed: UInt64) {
                var random = SeededRandom(seed)
                bytes = (0..<(1 << 20)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                keys = (0..<50).map { _ in Self.key(&random) }
                self.random = random
            }

            private static func key(_ random: inout SeededRandom) -> String {
                let scalars = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                    Unicode.Scalar(UInt32.random(in: 1..<0x11_0000, using: &random)) ?? "🦆"
                }
                return String(String.UnicodeScalarView(scalars))
            }

            /// The next record: half of them are small, one of ten has a key of its own.
            mutating func next() -> (data: Data, key: String) {
                let isSmall = Bool.random(using: &random)
                let size = Int.random(in: 0...(isSmall ? 300 : 60 * 1_024), using: &random)
                let start = Int.random(in: 0...(bytes.count - size), using: &random)
                let isShared = Int.random(in: 0..<10, using: &random) > 0
                return (
                    Data(bytes[start..<start + size]),
                    isShared ? keys.randomElement(using: &random) ?? "" : Self.key(&random)
                )
            }
        }

        /// The records that are expected and were not found yet; fewer than none if they were found too often.
        private final class Balance: Sendable {
            private let counts = Locked<[Fingerprint: Int]>([:])

            func add(_ count: Int, of record: Fingerprint) {
                counts.withLock { counts in
                    let sum = counts[record, default: 0] + count
                    counts[record] = sum == 0 ? nil : sum
                }
            }

            var missing: Int { counts.withLock { $0.values.filter { $0 > 0 }.reduce(0, +) } }
            var surplus: Int { counts.withLock { $0.values.filter { $0 < 0 }.reduce(0, -) } }
        }

        /// A service that accepts everything and passes the entries on. The keys of records that were saved without one are
        /// taken from our own reader.
        private func server(passingTo oracle: AggregationOracle, _ balance: Balance, isKeyless: Bool) throws
            -> LocalServer
        {
            try LocalServer(keepsRequests: false) { request, _ in
                let sent = PutRequestBody(request.body).records
                for (data, key) in sent {
                    try? oracle.read(key: key ?? "", data: data)
                    guard isKeyless else { continue }
                    for record in AggregatedEntry.records(in: Array(data)) ?? [] {
                        balance.add(1, of: Fingerprint(key: record.partitionKey.utf8, data: record.data))
                        balance.add(-1, of: Fingerprint(key: "".utf8, data: record.data))
                    }
                    guard !data.starts(with: AggregatedEntry.magic) else { continue }
                    balance.add(1, of: Fingerprint(key: (key ?? "").utf8, data: data))
                    balance.add(-1, of: Fingerprint(key: "".utf8, data: data))
                }
                let proofs = sent.map { _ in #"{"SequenceNumber":"1","ShardId":"shardId-0"}"# }
                return .json(200, #"{"Records":[\#(proofs.joined(separator: ","))]}"#)
            }
        }

        @Test(arguments: [false, true])
        func `AWS's library finds every record once, with its bytes and its key`(isKeyless: Bool) async throws {
            let records = count(1_000, full: 500_000)
            let oracle = try AggregationOracle.reader()
            let balance = Balance()
            let server = try server(passingTo: oracle, balance, isKeyless: isKeyless)
            var policy = RecorderPolicy.legacy
            policy.limits.bytes = 0
            policy.batchByteLimit = 4 << 20
            policy.sharedEntryBytes = 51_200
            let harness = try PipelineHarness(url: server.url, policy: policy)
            async let found: Void = oracle.fingerprints { balance.add(-1, of: $0) }
            var source = Records(seed: seed)
            var delivered = 0
            for first in stride(from: 0, to: records, by: 2_000) {
                for _ in first..<min(first + 2_000, records) {
                    let (data, key) = source.next()
                    balance.add(1, of: Fingerprint(key: isKeyless ? "".utf8 : key.utf8, data: data))
                    harness.pipeline.save(data, stream: "stream", partitionKey: isKeyless ? nil : key) { _ in }
                }
                delivered += try await harness.flush().delivered
            }
            try oracle.finish()
            try await found
            let entries = try harness.pipeline.totals().entries
            report(
                "R53 written:",
                [
                    "keyless": isKeyless, "records": records, "entries": entries, "missing": balance.missing,
                    "surplus": balance.surplus,
                ]
            )
            #expect(delivered == records && entries < records * 3 / 4)
            #expect(balance.missing == 0 && balance.surplus == 0)
        }

        @Test func `what AWS's library aggregates, we read: every record once, in order`() async throws {
            let records = count(2_000, full: 1_000_000)
            let figures = Locked((records: 0, entries: 0, wrong: 0))
            try await AggregationOracle.write(records: records, seed: seed) { data, expected in
                let found = (AggregatedEntry.records(in: data) ?? []).map {
                    Fingerprint(key: $0.partitionKey.utf8, data: $0.data)
                }
                figures.withLock { figures in
                    figures.records += expected.count
                    figures.entries += 1
                    if found != expected { figures.wrong += 1 }
                }
            }
            let (found, entries, wrong) = figures.withLock { ($0.records, $0.entries, $0.wrong) }
            report("R53 read:", ["records": found, "entries": entries, "wrong": wrong])
            #expect(found >= records && wrong == 0)
        }

        @Test func `control: a changed bit is noticed, because the library checks the MD5`() async throws {
            let entries = Locked<[[UInt8]]>([])
            try await AggregationOracle.write(records: 50, seed: seed) { data, _ in entries.withLock { $0.append(data) }
            }
            let changed = entries.withLock { $0 }.map { data in
                var data = data
                data[data.count / 2] ^= 1
                return data
            }
            let oracle = try AggregationOracle.reader()
            let found = Locked<Set<Fingerprint>>([])
            async let reading: Void = oracle.fingerprints { record in found.withLock { _ = $0.insert(record) } }
            for data in changed { try oracle.read(key: "k", data: Data(data)) }
            try oracle.finish()
            try await reading
            // Each entry is passed on as it is.
            #expect(found.withLock { $0 } == Set(changed.map { Fingerprint(key: "k".utf8, data: $0) }))
        }
    }
}
