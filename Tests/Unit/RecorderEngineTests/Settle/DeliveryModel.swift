import RecorderAWS
import RecorderHTTP

@testable import RecorderDelivery
@testable import RecorderStore

/// A `StreamDelivery` whose actions are performed at once, in memory.
struct DeliveryModel {
    /// What a row of the table needs.
    struct Setup: Sendable {
        var rule: any FailureRule = RetriesInFlush()
        var keepsOrder = false
        var service = StreamServiceDescription.kinesis
        /// The sizes of its records, with their keys, in bytes. They are numbered from 0.
        var sizes = [100, 100, 100]
        /// How many records are in a batch.
        var perBatch = Int.max
        /// Whether the first requests of all batches are sent before one is answered.
        var sendsTogether = false
        /// How many records share each entry.
        var sharing = 1
        var keyless: KeylessRecords?
        var discardsAfterFailures: Int?
        var retries = 3
        /// What DescribeStreamSummary says.
        var maximum: Int?
        /// The last record that a limit removes after the first request.
        var removed: Int64?
        /// How many settlements succeed; the next one is not applied, or only in part.
        var settlements = Int.max
        var settlesRest = false
        var isCancelled = false

        fileprivate var delivery: StreamDelivery {
            var policy = RecorderPolicy.legacy
            policy.failureRule = rule
            policy.keepsOrder = keepsOrder
            policy.discardsAfterFailures = discardsAfterFailures
            return StreamDelivery(
                StreamName(unchecked: "stream"),
                to: service,
                policy: policy,
                limiter: StreamRateLimiter()
            )
        }
    }

    private let setup: Setup
    private let answer: (_ records: [Int64], _ request: Int) -> BatchSender.Answer
    private(set) var delivery: StreamDelivery
    /// What it did, in order.
    private(set) var actions: [String] = []
    private(set) var requests: [[Int64]] = []
    /// The failures of the records that are stored.
    private(set) var stored: [Int64: Int]
    private(set) var left: [Int64: StoreLedger.Departure] = [:]
    private(set) var delays: [Duration] = []
    /// As its flushes have reported.
    private(set) var delivered = 0
    private var (retries, unreadable, settled) = (0, 0, 0)
    private let now = ContinuousClock.now

    init(_ setup: Setup = Setup(), answer: @escaping (_ records: [Int64], _ request: Int) -> BatchSender.Answer) {
        self.setup = setup
        self.answer = answer
        delivery = setup.delivery
        stored = Dictionary(uniqueKeysWithValues: setup.sizes.indices.map { (Int64($0), 0) })
    }

    /// The records as they are stored now, in one batch.
    var batch: Batch { batch(of: stored.keys.sorted()[...]) }

    private func batch(of records: ArraySlice<Int64>) -> Batch {
        let numbers = Array(records)
        let records = numbers.enumerated().map { position, number in
            BatchedRecord(
                id: RecordID(stream: 1, sequence: number),
                file: StoreIdentity(number: 1, file: nil),
                position: position,
                failures: stored[number] ?? 0,
                storedBytes: setup.sizes[Int(number)] + Record.overhead
                    + (setup.keyless == .withoutKeys ? RecordKey.numberedBytes : 0),
                entry: position / setup.sharing,
                keyless: setup.keyless
            )
        }
        let entries = stride(from: 0, to: numbers.count, by: setup.sharing).map { first in
            let sharing = numbers[first..<min(first + setup.sharing, numbers.count)]
            let bytes = sharing.reduce(0) { $0 + setup.sizes[Int($1)] }
            return Batch.Entry(range: 0..<bytes, bytes: bytes, records: sharing.count)
        }
        return Batch(
            records,
            of: delivery.stream,
            request: Array(repeating: 0, count: entries.map(\.bytes).max() ?? 0),
            entries: entries,
            orderedKeys: [],
            format: .json
        )
    }

    /// A flush: delivers all that is stored, batch after batch.
    mutating func run() {
        delivery = setup.delivery
        var (rest, ending) = (stored.keys.sorted()[...], StreamDelivery.Ending.delivered)
        while !rest.isEmpty, ending == .delivered {
            ending = deliver(batch(of: rest.prefix(setup.perBatch)))
            rest = rest.dropFirst(setup.perBatch)
        }
        perform { $0.finish(isLeft: ending == .left) }
        delivered += delivery.report.delivered
    }

    private mutating func deliver(_ batch: Batch) -> StreamDelivery.Ending {
        (retries, unreadable) = (0, 0)
        let batch = setup.sendsTogether ? batch : delivery.sending(batch)
        delivery.begin(batch, at: now)
        let first = send(batch)
        return perform { [now] in $0.answered(first, at: now) }
    }

    @discardableResult
    mutating func perform(_ event: (inout StreamDelivery) -> [StreamDelivery.Action]) -> StreamDelivery.Ending {
        var waiting = event(&delivery)[...]
        while let action = waiting.popFirst() {
            actions.append(action.text)
            precondition(actions.count < 1_000, "a delivery does not end")
            switch action {
            case .next:
                let removed = setup.removed.map { RecordID(stream: 1, sequence: $0) }
                waiting += delivery.next(at: now, room: nil, removed: removed)
            case .send(let part):
                _ = delivery.delay(before: part, random: 0)
                waiting += delivery.answered(send(part), at: now)
            case .lookUp: waiting += delivery.lookedUp(setup.maximum)
            case .settle(let answer): waiting += delivery.settled(settle(answer.settlement))
            case .wait(let reason): waiting += delivery.waited(wait(reason))
            case .restartRetries: (retries, unreadable) = (0, 0)
            case .refundRetry, .log: break
            case .end(let ending):
                precondition(waiting.isEmpty, "an action after the end")
                return ending
            }
        }
        preconditionFailure("a delivery stopped without an end")
    }

    private mutating func send(_ part: Batch) -> BatchSender.Answer {
        requests.append(part.records.map(\.id.sequence))
        return answer(part.records.map(\.id.sequence), requests.count - 1)
    }

    private mutating func wait(_ reason: AWSServiceCaller.RetryReason) -> Result<Duration?, ServiceFailure> {
        if setup.isCancelled { return .failure(ServiceFailure(.cancelled, message: "cancelled")) }
        let delay: Duration
        switch reason {
        case .unreadable:
            guard unreadable < 2 else { return .success(nil) }
            (unreadable, delay) = (unreadable + 1, .milliseconds(50))
        case .partialFailure(.throttling): delay = .seconds(1)
        case .partialFailure: delay = .milliseconds(50)
        }
        guard retries < setup.retries else { return .success(nil) }
        delays.append(delay * (1 << retries))
        retries += 1
        return .success(delays.last)
    }

    private mutating func settle(_ settlement: Settlement) -> Result<SettleReceipt, RecorderError> {
        settled += 1
        let error = RecorderError.storage("The disk is full.", nil)
        if settled > setup.settlements, !setup.settlesRest { return .failure(error) }
        var receipt = SettleReceipt()
        if settled > setup.settlements { receipt.rest = (Settlement(), error) }
        for record in settlement.kept { precondition(stored[record.id.sequence] != nil, "kept what has left") }
        for record in settlement.failed { stored[record.id.sequence, default: 0] += 1 }
        for run in settlement.runs {
            for record in run.records {
                precondition(stored.removeValue(forKey: record.id.sequence) != nil, "a record leaves twice")
                left[record.id.sequence] = run.departure
            }
            let count = run.records.count
            guard case .discarded(let reason) = run.departure else {
                receipt.progress.delivered += count
                continue
            }
            receipt.discards.add(count: count, bytes: 0, stream: delivery.stream, reason: reason)
        }
        return .success(receipt)
    }
}

extension StreamDelivery.Action {
    /// As the rows of the table have it.
    fileprivate var text: String {
        switch self {
        case .next: "next"
        case .send(let part): "send \(part.records.numbers)"
        case .lookUp: "look up"
        case .settle(let answer): "settle \(answer.settlement.text)"
        case .wait(.unreadable): "wait: unreadable"
        case .wait(.partialFailure(.throttling)): "wait: throttled"
        case .wait(.partialFailure): "wait: failed"
        case .refundRetry: "refund"
        case .restartRetries: "restart"
        case .log: "log"
        case .end(let ending): "end: \(ending)"
        }
    }
}

extension Settlement {
    fileprivate var text: String {
        let runs = runs.map { run in
            switch run.departure {
            case .delivered: "\(run.records.numbers) delivered"
            case .discarded(.rejected): "\(run.records.numbers) rejected"
            case .discarded, .cleared: "\(run.records.numbers) exhausted"
            }
        }
        let stays = kept.filter { record in !failed.contains { $0.id == record.id } }
        return
            (runs + (stays.isEmpty ? [] : ["\(stays.numbers) kept"])
            + (failed.isEmpty ? [] : ["\(failed.numbers) failed"])).joined(separator: ", ")
    }
}

extension [BatchedRecord] {
    fileprivate var numbers: String { map { "\($0.id.sequence)" }.joined(separator: " ") }
}
