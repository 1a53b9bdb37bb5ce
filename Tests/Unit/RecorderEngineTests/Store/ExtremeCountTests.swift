import Foundation
import RecorderEngine
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// Damage can leave any number in the file: none causes a trap, and impossible counts are never returned.
@Suite(.timeLimit(.minutes(10))) struct ExtremeCountTests {
    /// One column of one table, in all rows or in some.
    struct Location: Sendable, CustomTestStringConvertible {
        let table: String
        let column: String
        let rows: String

        var change: String { column.contains("?1") ? column : "\(column) = ?1" }

        /// The call that reads the number first; each call does for some location.
        var first: Call { [.totals, .status, .save, .flush][column.utf8.count % 4] }

        var testDescription: String { "\(table).\(column) \(rows)" }
    }

    static let locations: [Location] = {
        let counts = [
            "records", "bytes", "saved", "delivered", "retried", "evicted", "expired", "rejected", "exhausted",
            "cleared", "cursor", "saved_bytes", "next_sequence", "trouble_at", "numbered", "numbered_before", "unnamed",
        ]
        let streams = ["number = 0", "number = 1"].flatMap { rows in
            counts.map { Location(table: "stream", column: $0, rows: rows) }
        }
        let others = [
            ("stream", counts[..<10].map { "\($0) = ?1" }.joined(separator: ", "), "number = 0"),
            ("stream", "number", "number = 1"), ("stream", "number", "number = 0"),
            ("stream", "trouble = ?1, trouble_at = trouble_at", "number = 1"),
            ("meta", "identity", "1"), ("meta", "key_source", "1"), ("meta", "byte_limit", "1"),
            ("meta", "age_limit", "1"),
            ("segment", "first_sequence", "1"), ("segment", "first_bytes", "1"), ("segment", "removed", "1"),
            ("segment", "key_source", "1"), ("block_1", "id", "id & 255 = 2"), ("block_1", "saved_at", "1"),
            ("block_1", "span", "1"), ("block_1", "number", "1"), ("kept", "id", "1"), ("kept", "saved_at", "1"),
            ("kept", "failures", "1"), ("kept", "key_source", "1"), ("kept", "span", "1"), ("kept", "number", "1"),
        ]
        return streams + others.map { Location(table: $0.0, column: $0.1, rows: $0.2) }
    }()

    static let values: [Int64] = [.min, -1, 1 << 60, .max]

    @Test(arguments: locations)
    func `an impossible number causes no trap`(location: Location) async throws {
        for value in Self.values {
            for first in [location.first, .clear] { try await check(location, value, first) }
        }
    }

    /// A call that reads the number.
    enum Call: CaseIterable, Sendable {
        case totals, status, save, flush, clear
    }

    private func check(_ location: Location, _ value: Int64, _ first: Call) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) { $0 == "kept" ? "InternalFailure" : nil } }
        let directory = try TemporaryDirectory()
        let harness = try PipelineHarness(to: server, in: directory, Self.adjust)
        for text in ["1", "kept", "3"] { try await harness.save(text) }
        try await harness.save("other", to: "b")
        do {
            let connection = try SQLiteConnection(path: harness.path, access: .readWrite)
            let change = try connection.prepare(
                "UPDATE OR IGNORE \(location.table) SET \(location.change) WHERE \(location.rows)"
            )
            try change.bind(value, at: 1)
            try change.run()
        }
        let isCount = location.rows == "number = 0" && ["records", "bytes"].contains(location.column)
        // One that has the file open, and one that opens it.
        for harness in [harness, try PipelineHarness(to: server, in: directory, Self.adjust)] {
            for call in [first] + Call.allCases where call != .clear || first == .clear { await run(call, on: harness) }
        }
        if isCount { #expect(harness.events.discards.isEmpty, "\(location) \(value) \(first)") }
    }

    private static func adjust(_ policy: inout RecorderPolicy) {
        policy.limits = DiskLimits(bytes: 1 << 20, age: .seconds(3_600), notificationThreshold: 1)
    }

    /// Either a result or an error is fine; the call must return one.
    private func run(_ call: Call, on harness: PipelineHarness) async {
        switch call {
        case .totals:
            guard let totals = try? harness.pipeline.totals() else { break }
            #expect(totals.records >= 0 && totals.bytes >= 0 && totals.discarded >= 0)
        case .status:
            guard let status = try? harness.pipeline.status() else { break }
            _ = status.streams.reduce(0) { $0 + $1.records + $1.bytes }
        case .save: try? await harness.save("another")
        case .flush: _ = try? await harness.flush()
        case .clear: _ = try? await harness.clear()
        }
    }
}
