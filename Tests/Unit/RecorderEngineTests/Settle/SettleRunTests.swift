import Foundation
import RecorderEngine
import RecorderTestSupport
import ReplyFuzzer
import Testing

/// The fuzz target's way through a store, and that it finds out what it is there for.
@Suite(.timeLimit(.minutes(5))) struct SettleRunTests {
    private static let services = [StreamServiceDescription.kinesis, .firehose]

    @Test(arguments: services)
    func `spoilt answers remove no record from a store without leave`(service: StreamServiceDescription) async throws {
        let run = try SettleRun(service, in: try TemporaryDirectory().path("store"))
        let seed = UInt64.random(in: 0...UInt64.max)
        var maker = ReplyMaker(seed: seed)
        for round in 0..<200 {
            let sound = maker.make(service, records: 6)
            let answers = (0..<4).map { $0 == 0 && round % 4 == 0 ? sound.body : maker.spoil(sound).body }
            #expect(try await objection(of: run, to: answers, records: 6) == nil, "seed \(seed), round \(round)")
        }
    }

    @Test(arguments: services)
    func `control: records that leave without leave are found out`(service: StreamServiceDescription) async throws {
        let entries = Array(repeating: #"{"\#(service.proofField)":"1"}"#, count: 3).joined(separator: ",")
        let proof = Array(#"{"\#(service.entriesField)":[\#(entries)]}"#.utf8)
        let directory = try TemporaryDirectory()
        let honest = try SettleRun(service, in: directory.path("honest"))
        #expect(try await objection(of: honest, to: [proof], records: 3) == nil)
        // To the oracle the same answer looks like one that proves nothing.
        let deceived = try SettleRun(service, in: directory.path("deceived")) { _ in Array("{}".utf8) }
        let found = try await objection(of: deceived, to: [proof], records: 3)
        #expect(found == "record 0 of 3 left, and no answer allows that")
    }

    /// On a thread of its own: a run blocks until its flush has ended, and flushes need the threads that tests run on.
    private func objection(of run: SettleRun, to answers: [[UInt8]], records: Int) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try run.objection(to: answers, records: records) })
            }
        }
    }
}
