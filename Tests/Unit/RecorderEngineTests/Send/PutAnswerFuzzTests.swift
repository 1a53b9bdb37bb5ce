import AnswerFuzzer
import Foundation
import RecorderAWS
import RecorderDelivery
import RecorderStore
import RecorderTestSupport
import Testing

/// For any answer, valid or corrupted: no crash, no hang, and no record leaves the store without a proof of delivery.
@Suite(.timeLimit(.minutes(10))) struct PutAnswerFuzzTests {
    private static let stress = ProcessInfo.processInfo.environment["STRESS"]
    private static let isFull = stress == "full"
    /// Random in the long runs.
    private static let seed = stress == nil ? 1 : UInt64.random(in: 0...UInt64.max)

    @Test(arguments: RequestFormat.allCases)
    func `a corrupted answer proves no record that its own entry does not, and a valid one is read correctly`(
        format: RequestFormat
    ) async {
        let count = Self.isFull ? 1_000_000 : Self.stress != nil ? 40_000 : 4_000
        await withTaskGroup(of: String?.self) { group in
            for part in 0..<UInt64(4) {
                group.addTask {
                    await onDedicatedThread { Self.fuzz(seed: Self.seed &+ part, count: count / 4, format) }
                }
            }
            for await problem in group where problem != nil { Issue.record("\(problem ?? "")") }
        }
    }

    /// The first problem.
    private static func fuzz(seed: UInt64, count: Int, _ format: RequestFormat) -> String? {
        var maker = AnswerMaker(seed: seed)
        func make() -> AnswerMaker.Made { format == .json ? maker.make() : maker.cbor(maker.make()) }
        var valid = make()
        for number in 0..<count {
            if number % 10 == 0 { valid = make() }
            let made = number % 10 == 0 ? valid : maker.corrupt(valid)
            guard let problem = problem(about: made) else { continue }
            let text = made.isCBOR ? "\(made.body)" : String(decoding: made.body.prefix(2_000), as: UTF8.self)
            return "\(problem); \(made.service.name), seed \(seed), number \(number): \(text)"
        }
        return nil
    }

    private static func problem(about made: AnswerMaker.Made) -> String? {
        let answer = PutAnswer(made.body, to: made.service, records: made.records)
        let violation = AnswerOracle.violation(in: answer, for: made.body, made.service, records: made.records)
        guard let outcomes = made.outcomes, violation == nil else { return violation }
        return answer == .outcomes(outcomes) ? nil : "read as \(answer) instead of \(outcomes)"
    }

    /// What takes more than time in proportion would not end with the shorter bodies either.
    @Test func `megabytes of any content are read quickly`() async {
        #expect(await onDedicatedThread { Self.violationsInLongBodies() } == [])
    }

    private static func violationsInLongBodies() -> [String] {
        let size = (stress == nil ? 1 : 4) << 20
        var violations: [String] = []
        for piece in ["[", "{\"a\":", "\"", "\\", "9", " ", "{", #"{"Records":["#, #"\u0000"#, "\u{FEFF}"] {
            for start in ["", #"{"Records":"#, #"{"Records":[{"SequenceNumber":""#] {
                let body = Array((start + String(repeating: piece, count: size / piece.utf8.count)).utf8)
                let answer = PutAnswer(body, to: .kinesis, records: 1)
                if let violation = AnswerOracle.violation(in: answer, for: body, .kinesis, records: 1) {
                    violations.append("\(start)\(piece): \(violation)")
                }
            }
        }
        return violations
    }

    @Test func `a long answer in any CBOR is read quickly`() async {
        #expect(await onDedicatedThread { Self.violationsInLongCBOR() } == [])
    }

    private static func violationsInLongCBOR() -> [String] {
        let size = stress == nil ? 1 << 18 : 1 << 20
        let records = CBORTree.document("Records")
        let items: [[UInt8]] = [
            [0x81], [0x9F], [0xA0], [0xBF, 0x60], [0x80], [0xF6], [0xC1], [0x7F], [0x61, 0x61], [0x5B, 0, 0, 0, 0, 1],
            [0xBB, 0, 0, 0, 1],
        ]
        var violations: [String] = []
        for item in items {
            for start in [[0xBF], [0xA1] + records + [0x9F], [0xA1] + records + [0x9A, 0, 0x0F, 0xFF, 0xF0]] {
                let body = start + Array(repeatElement(item, count: size / item.count).joined())
                let answer = PutAnswer(body, to: .kinesis, records: 1)
                if let violation = AnswerOracle.violation(in: answer, for: body, .kinesis, records: 1) {
                    violations.append("\(start), \(item): \(violation)")
                }
            }
        }
        return violations
    }

    @Test func `in a whole flush, only proven records leave the store, for any answer`() async throws {
        for service in [StreamServiceDescription.kinesis, .firehose] {
            try await flushFuzz(service, rounds: Self.isFull ? 2_000 : 150)
        }
    }

    @Test func `in a whole flush with requests in CBOR, only proven records leave the store, for any answer`()
        async throws
    {
        try await flushFuzz(.kinesis, .cbor, rounds: Self.isFull ? 2_000 : 150)
    }

    private func flushFuzz(
        _ service: StreamServiceDescription,
        _ format: RequestFormat = .json,
        rounds: Int
    ) async throws {
        let seed = Self.seed
        let answered = Recorded<(texts: [String], body: [UInt8])>()
        let server = try LocalServer { request, index in
            let texts = ParsedPutRequest(request).texts
            var maker = AnswerMaker(seed: seed &+ UInt64(index))
            let json = maker.make(service, records: texts.count)
            // Every 16th answer to a request in CBOR is in JSON.
            let valid = request.isCBOR && index % 16 != 1 ? maker.cbor(json) : json
            let body = index % 4 == 0 ? valid.body : maker.corrupt(valid).body
            answered.append((texts, body))
            return .answer(status: 200, headers: [], body: body)
        }
        let harness = try PipelineHarness(
            service,
            to: server,
            {
                $0.limits.bytes = 0
                $0.requestFormat = format
            },
            // Nothing is known at the beginning of a flush.
            calling: { $0.cborEndpoints = CBOREndpoints() }
        )
        var saved: [String] = []
        for round in 0..<rounds {
            let texts = (0..<8).map { "\(round) \($0)" }
            try await harness.saveAll(texts)
            saved += texts
            _ = try await harness.flush()
        }
        var mayLeave: Set<String> = []
        for (texts, body) in answered.all {
            let oracle = AnswerOracle(body, service, records: texts.count)
            mayLeave.formUnion((oracle?.mayLeave ?? []).map { texts[$0] })
        }
        let stored = try harness.storedTexts()
        let lost = Set(saved).subtracting(stored).subtracting(mayLeave)
        #expect(lost.isEmpty, "seed \(seed), \(service.name)")
        #expect(stored == saved.filter(Set(stored).contains), "seed \(seed), \(service.name)")
        #expect(stored.count < saved.count)
    }
}
