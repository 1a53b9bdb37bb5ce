import RecorderAWS
import RecorderHTTP
import RecorderStore
import RecorderTestSupport
import Testing

@testable import RecorderDelivery

/// What becomes of a stream's records, without sockets: the table of `StreamDelivery`, and random answers.
@Suite struct StreamDeliveryTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var setup = DeliveryModel.Setup()
        let answer: @Sendable (_ records: [Int64], _ request: Int) -> BatchSender.Answer
        /// What it does, in order.
        let actions: [String]
        var isReported = true

        var testDescription: String { name }
    }

    @Test(arguments: rows)
    func `each state and event lead to what the table says`(row: Row) {
        var model = DeliveryModel(row.setup, answer: row.answer)
        model.run()
        #expect(model.actions == row.actions + ["end: delivered"])
        #expect(model.delivery.report.failures.isEmpty == !row.isReported)
    }

    @Test func `the rows have every action and every ending`() {
        let words = Set(Self.rows.flatMap(\.actions).map { $0.prefix { $0 != " " && $0 != ":" } })
        #expect(words == ["next", "send", "look", "settle", "wait", "refund", "restart", "log", "end"])
        let endings = Set(Self.rows.compactMap(\.actions.last).filter { $0.hasPrefix("end") })
        #expect(endings == ["end: delivered", "end: mustBeSeparated", "end: left"])
    }

    @Test func `a record that is alone in its stream and refused leaves with the fourth refusal`() {
        var model = DeliveryModel(.init(sizes: [100])) { _, _ in .refused(Self.invalid) }
        for refusals in 1...3 {
            model.run()
            #expect(model.stored == [0: refusals])
        }
        model.run()
        #expect(model.left == [0: .discarded(.rejected(code: "InvalidArgumentException"))])
    }

    /// As if somebody changed the stream, its key, or a policy meanwhile.
    @Test(arguments: [invalid, page], [KeylessRecords?.none, .withoutKeys])
    func `a stream that refuses everything after it accepted a batch loses nothing, and is left`(
        refusal: ServiceFailure,
        keyless: KeylessRecords?
    ) {
        let setup = DeliveryModel.Setup(sizes: Array(repeating: 100, count: 500), perBatch: 50, keyless: keyless)
        var model = DeliveryModel(setup) { records, request in
            request == 0 ? .outcomes(records.map { _ in .delivered }) : .refused(refusal)
        }
        for _ in 0..<6 { model.run() }
        #expect(Set(model.left.keys) == Set(0..<50) && model.left.values.allSatisfy { $0 == .delivered })
        #expect(model.stored.values.allSatisfy { $0 == 0 } && model.delivery.report.failures.count == 1)
        // A hundred in the first flush, twelve or so in each of the others.
        #expect(model.requests.count < 200)
    }

    /// As after a change of the stream that is taken back, or beside a record that is invalid indeed.
    @Test(
        arguments: [[], [0], [6], [7], [11], [23], [0, 1], [0, 3], [3, 4, 5], [2, 14, 15], [0, 7, 8, 23]]
            as [Set<Int64>],
        [KeylessRecords?.none, .withoutKeys]
    )
    func `whenever a stream refuses everything for a while, no valid record leaves as rejected`(
        invalid: Set<Int64>,
        keyless: KeylessRecords?
    ) {
        for (first, count) in (0..<24).flatMap({ first in [1, 2, 3, 4, 6, 9, 16].map { (first, $0) } }) {
            let setup = DeliveryModel.Setup(
                sizes: Array(repeating: 100, count: 24),
                perBatch: count % 2 == 0 ? 8 : 6,
                sendsTogether: count % 3 == 0,
                keyless: keyless
            )
            var model = DeliveryModel(setup) { records, request in
                let isRefused = (first..<first + count).contains(request) || !invalid.isDisjoint(with: records)
                let outcome = request % 5 == 3 ? Self.throttled : .delivered
                return isRefused ? .refused(Self.invalid) : .outcomes(records.map { _ in outcome })
            }
            for _ in 0..<3 { model.run() }
            let rejected = model.left.filter { $0.value != .delivered }.keys
            #expect(invalid.isSuperset(of: rejected), "\(first) \(count)")
        }
    }

    @Test func `what was accepted of a request that was sent before another one was refused rejects nothing`() {
        var model = DeliveryModel(.init(perBatch: 1, sendsTogether: true), answer: Self.refusing([0]))
        model.run()
        #expect(model.requests == [[0], [1], [2]] && model.stored == [0: 1])
        #expect(model.delivery.report.failures.count == 1)
    }

    @Test func `a record that is refused alone leaves if its stream accepts others then, or with the fourth refusal`() {
        for place in [0, 7, 50, 98, 99, 100] as [Int64] {
            let setup = DeliveryModel.Setup(sizes: Array(repeating: 100, count: 101), perBatch: 25)
            var model = DeliveryModel(setup) { records, _ in
                records.contains(place) ? .refused(Self.invalid) : .outcomes(records.map { _ in .delivered })
            }
            // The last one has a batch of its own.
            let flushes = place == 100 ? 4 : 1
            for flush in 1...flushes {
                model.run()
                #expect(model.stored == (flush < flushes ? [place: flush] : [:]))
            }
            #expect(model.delivered == 100 && model.delivery.report.failures.isEmpty)
        }
    }

    @Test(arguments: [1, 4])
    func `a stream that fails all records loses one batch to the limit on failures, and is left`(limit: Int) {
        let setup = DeliveryModel.Setup(
            sizes: Array(repeating: 100, count: 50),
            perBatch: 10,
            discardsAfterFailures: limit
        )
        var model = DeliveryModel(setup) { records, _ in .outcomes(records.map { _ in Self.throttled }) }
        model.run()
        #expect(Set(model.left.keys) == Set(0..<10) && model.requests.count == limit)
        #expect(model.delivery.report.failures.count == 1)
    }

    @Test func `a record that stays is reported though another one leaves`() {
        var model = DeliveryModel(.init(sizes: [100, 2_000_000])) { _, _ in .refused(Self.invalid) }
        for _ in 0..<4 {
            model.run()
            #expect(model.delivery.report.failures.count == 1)
        }
        #expect(model.left.keys.sorted() == [1] && model.stored == [0: 0])
    }

    @Test func `of candidates nothing is counted after one that cannot be settled`() {
        // Both may be too large: the first refusals are settled without a change.
        let setup = DeliveryModel.Setup(sizes: [2_000_000, 2_000_000], settlements: 0)
        var model = DeliveryModel(setup) { _, _ in .refused(Self.invalid) }
        model.run()
        #expect(model.actions.filter { $0.hasPrefix("settle") } == ["settle 0 failed"])
        #expect(model.stored == [0: 0, 1: 0] && model.delivery.report.failures.count == 1)
    }

    @Test func `an answer that comes late is settled, and nothing is sent again`() {
        var model = DeliveryModel { _, _ in .failed(Self.denied) }
        let batch = model.batch
        let ending = model.perform { $0.answeredLate(batch, .outcomes([.delivered, Self.throttled, .unproven])) }
        #expect(ending == .delivered && model.actions == ["settle 0 delivered, 1 2 kept", "end: delivered"])
        model.perform { $0.answeredLate(batch, .failed(Self.denied)) }
        #expect(model.requests.isEmpty && Set(model.stored.keys) == [1, 2])
    }

    @Test(arguments: 0..<500)
    func `whatever is answered, it ends, and no record leaves without a cause`(seed: UInt64) {
        var random = SeededRandom(seed)
        var setup = DeliveryModel.Setup(rule: Bool.random(using: &random) ? RetriesInFlush() : CountsAttempts())
        setup.keepsOrder = Bool.random(using: &random)
        setup.sizes = (0..<Int.random(in: 1...9, using: &random)).map { _ in
            [50, 500, 2_000_000].randomElement(using: &random) ?? 0
        }
        setup.sharing = [1, 1, 3].randomElement(using: &random) ?? 1
        setup.discardsAfterFailures = [nil, 2].randomElement(using: &random) ?? nil
        setup.maximum = [nil, 1_500_000].randomElement(using: &random) ?? nil
        setup.settlements = Int.random(in: 0...20, using: &random)
        setup.settlesRest = Bool.random(using: &random)
        let (delivered, blamed) = (Recorded<Int64>(), Recorded<Int64>())
        var model = DeliveryModel(setup) { records, _ in
            let answer = Self.answer(of: setup.sharing, records: records.count, using: &random)
            switch answer {
            case .outcomes(let outcomes):
                for (record, outcome) in zip(records, outcomes) {
                    if case .delivered = outcome { delivered.append(record) } else { blamed.append(record) }
                }
            case .refused, .failed: for record in records { blamed.append(record) }
            case .unreadable, .notSent, .mustBeSeparated: break
            }
            return answer
        }
        for _ in 0..<3 where !model.stored.isEmpty { model.run() }
        for (record, departure) in model.left {
            let causes = departure == .delivered ? delivered : blamed
            #expect(causes.all.contains(record))
        }
        #expect(model.delivered == model.left.values.count { $0 == StoreLedger.Departure.delivered })
        #expect(setup.rule.retriesInFlush || model.delays.isEmpty)
    }

    /// What records that share an entry have in common is in the answer, too.
    private static func answer(
        of sharing: Int,
        records: Int,
        using random: inout SeededRandom
    ) -> BatchSender.Answer {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .unreadable("an empty body")
        case 1: return .failed(denied)
        case 2: return .notSent(.cancelled)
        case 3, 4: return .refused(invalid)
        case 5: return .refused(page)
        case 6 where sharing > 1: return .mustBeSeparated
        default:
            let entries = (0..<records).map { _ -> Outcome in
                [.delivered, .delivered, throttled, rejected, .unproven, .retry(code: "InternalFailure", message: "")]
                    .randomElement(using: &random) ?? .delivered
            }
            return .outcomes((0..<records).map { entries[$0 / sharing] })
        }
    }

    // MARK: - answers

    static let throttled = Outcome.retry(code: "ProvisionedThroughputExceededException", message: "Slow down.")
    static let rejected = Outcome.rejected(code: "InvalidArgumentException", message: "It is invalid.")
    static let denied = ServiceFailure(
        .denied,
        code: "AccessDeniedException",
        message: "No.",
        requestID: "1",
        status: 400
    )
    static let invalid = ServiceFailure(
        .invalidRequest,
        code: "InvalidArgumentException",
        message: "One of the records is invalid.",
        requestID: "1",
        status: 400,
        fields: ["__type": "InvalidArgumentException"]
    )
    /// Of a proxy.
    static let page = ServiceFailure(.invalidRequest, message: "Request Entity Too Large", status: 413)
    static let all = [Outcome.delivered, .delivered, .delivered]

    /// Accepts every record but one.
    static func but(_ record: Int64, _ outcome: Outcome) -> @Sendable ([Int64], Int) -> BatchSender.Answer {
        { records, _ in .outcomes(records.map { $0 == record ? outcome : .delivered }) }
    }

    /// Refuses each request with one of these records.
    static func refusing(
        _ refused: Set<Int64>,
        _ failure: ServiceFailure = invalid
    ) -> @Sendable ([Int64], Int) -> BatchSender.Answer {
        { records, _ in
            refused.isDisjoint(with: records) ? .outcomes(records.map { _ in .delivered }) : .refused(failure)
        }
    }
}
