import AnswerFuzzer
import Foundation
import RecorderStore
import RecorderTestSupport
import Testing

/// The fuzz target's run through a store, and a control that it detects a wrong removal.
@Suite(.timeLimit(.minutes(5))) struct SettleRunTests {
    private static let services = [StreamServiceDescription.kinesis, .firehose]
    /// Random in the long runs.
    private static let seed =
        ProcessInfo.processInfo.environment["STRESS"] == nil ? 1 : UInt64.random(in: 0...UInt64.max)

    @Test(arguments: services, [false, true])
    func `corrupted answers remove no record without a proof, and all records of an entry or none`(
        service: StreamServiceDescription,
        sharesEntries: Bool
    ) async throws {
        let run = try SettleRun(service, sharesEntries: sharesEntries, in: try TemporaryDirectory().path("store"))
        var maker = AnswerMaker(seed: Self.seed)
        for round in 0..<200 {
            let valid = maker.make(service, records: 6)
            let answers = (0..<4).map { $0 == 0 && round % 4 == 0 ? valid.body : maker.corrupt(valid).body }
            #expect(try await violation(of: run, with: answers, records: 6) == nil, "seed \(Self.seed), round \(round)")
        }
    }

    @Test func `for the oracle a key that begins with a byte order mark is another key`() {
        let body = "{\"Records\":[{\"SequenceNumber\":\"1\",\"\u{FEFF}ErrorCode\":\"InternalFailure\"}]}"
        #expect(AnswerOracle(Array(body.utf8), .kinesis, records: 1)?.mayLeave == [0])
    }

    @Test(arguments: services, [false, true])
    func `control: records that leave without a proof are detected`(
        service: StreamServiceDescription,
        sharesEntries: Bool
    ) async throws {
        let entries = Array(repeating: #"{"\#(service.proofField)":"1"}"#, count: 3).joined(separator: ",")
        let proof = Array(#"{"\#(service.entriesField)":[\#(entries)]}"#.utf8)
        let directory = try TemporaryDirectory()
        let honest = try SettleRun(service, sharesEntries: sharesEntries, in: directory.path("honest"))
        #expect(try await violation(of: honest, with: [proof], records: 3) == nil)
        // The oracle sees an answer that proves nothing instead.
        let deceived = try SettleRun(service, sharesEntries: sharesEntries, in: directory.path("deceived")) { _ in
            Array("{}".utf8)
        }
        let found = try await violation(of: deceived, with: [proof], records: 3)
        let first = sharesEntries ? "record 1000\n of 9" : "record 0 of 3"
        #expect(found == "\(first) left the store, and no answer allows that")
    }

    /// Runs on a separate thread: a run blocks until its flush has ended, and flushes need the threads that tests run
    /// on.
    private func violation(of run: SettleRun, with answers: [[UInt8]], records: Int) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try run.violation(in: answers, records: records) })
            }
        }
    }
}
