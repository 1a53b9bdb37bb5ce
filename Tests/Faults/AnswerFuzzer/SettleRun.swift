import Dispatch
import Foundation
package import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderHTTP
package import RecorderStore
import RecorderTestSupport

/// A store with a scripted service: checks which records leave the store when a whole flush settles the answers.
package final class SettleRun: Sendable {
    private let harness: PipelineHarness
    private let answers: AnswersInTurn
    private let sharesEntries: Bool
    /// How many records share an entry.
    private static let sharing = 3
    private var pipeline: RecordPipeline { harness.pipeline }

    /// Creates a store in `directory`, whose requests have a format until an answer shows that it is not understood. With
    /// `sharesEntries`, three records share each entry of a request.
    ///
    /// The oracle judges the result of `oracleSees` instead of the answer; only a control needs that.
    package init(
        _ service: StreamServiceDescription,
        _ format: RequestFormat = .json,
        sharesEntries: Bool = false,
        in directory: String,
        oracleSees: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) throws {
        let answers = AnswersInTurn(service, oracleSees)
        self.answers = answers
        var policy = RecorderPolicy.legacy
        policy.requestFormat = format
        self.sharesEntries = sharesEntries
        if sharesEntries {
            policy.sharedEntryBytes = service.sendsPartitionKey ? 51_200 : Self.sharing * Self.sharedText(0).utf8.count
        }
        harness = try PipelineHarness(
            service,
            url: "http://service.invalid",
            in: TemporaryDirectory(existing: directory),
            systemClock: .system,
            policy: policy,
            calling: { configuration in
                // Nothing is known at the beginning of a flush.
                configuration.cborEndpoints = CBOREndpoints()
                configuration.credentials = AnonymousCredentials()
                configuration.transport = answers
            },
            emit: { _ in }
        )
    }

    /// Saves records for `entries` entries of a request and flushes them. Requests get the answers in turn; later requests get
    /// none.
    ///
    /// - Returns: what is wrong with the stored records afterwards; nil if nothing is.
    package func violation(in answers: [[UInt8]], records entries: Int) throws -> String? {
        let records = entries * (sharesEntries ? Self.sharing : 1)
        let texts = (0..<records).map { sharesEntries ? Self.sharedText($0) : "record \($0)" }
        self.answers.begin(answers)
        try wait { done in
            for (number, text) in texts.enumerated() {
                let key = sharesEntries ? "key \(number / Self.sharing)" : "key"
                save(text, key: key, number == records - 1 ? done : { _ in })
            }
            if texts.isEmpty { done(.success(())) }
        }
        _ = try? wait { done in pipeline.flush { done($0) } }
        let stored = try storedTexts(at: harness.path)
        _ = try wait { done in pipeline.clear { done($0) } }
        let mayLeave = self.answers.mayLeave
        if let lost = texts.first(where: { !stored.contains($0) && !mayLeave.contains($0) }) {
            return "\(lost) of \(records) left the store, and no answer allows that"
        }
        if let torn = self.answers.sharedEntries.first(where: { Set($0.map(stored.contains)).count > 1 }) {
            return "some of \(torn) left the store, which share an entry"
        }
        let kept = texts.filter(Set(stored).contains)
        return stored == kept ? nil : "\(stored.count) records are stored where \(kept.count) should be"
    }

    /// A line of always the same size, so that it is known how many share an entry.
    private static func sharedText(_ number: Int) -> String { "record \(1_000 + number)\n" }

    private func save(
        _ text: String,
        key: String,
        _ done: @escaping @Sendable (Result<Void, RecorderError>) -> Void
    ) {
        pipeline.save(Data(text.utf8), stream: "stream", partitionKey: key, completion: done)
    }

    /// Blocks until `start` has called its completion.
    private func wait<Value: Sendable>(
        _ start: (@escaping @Sendable (Result<Value, RecorderError>) -> Void) -> Void
    ) throws -> Value {
        let (result, isDone) = (Kept<Result<Value, RecorderError>?>(nil), DispatchSemaphore(value: 0))
        start { value in
            result.value.withLock { $0 = value }
            isDone.signal()
        }
        isDone.wait()
        guard let value = result.value.withLock({ $0 }) else { fatalError("called without a result") }
        return try value.get()
    }
}

/// A value behind a lock, for closures to share.
private final class Kept<Value>: Sendable {
    let value: Locked<Value>
    init(_ value: consuming sending Value) { self.value = Locked(value) }
}

/// A service that gives one answer per request and tracks which records the answers allow to leave.
private final class AnswersInTurn: HTTPTransport {
    private struct State {
        var answers: ArraySlice<[UInt8]> = []
        var mayLeave: Set<String> = []
        /// The texts of each entry that several records shared, and of those that had an entry of their own.
        var shared: [[String]] = []
        var alone: Set<String> = []
    }

    private let service: StreamServiceDescription
    private let oracleSees: @Sendable ([UInt8]) -> [UInt8]
    private let state = Locked(State())

    init(_ service: StreamServiceDescription, _ oracleSees: @escaping @Sendable ([UInt8]) -> [UInt8]) {
        self.service = service
        self.oracleSees = oracleSees
    }

    func begin(_ answers: [[UInt8]]) { state.withLock { $0 = State(answers: answers[...]) } }

    var mayLeave: Set<String> { state.withLock { $0.mayLeave } }

    /// The texts of the shared entries whose records were not sent one by one later.
    var sharedEntries: [[String]] {
        state.withLock { state in state.shared.filter { state.alone.isDisjoint(with: $0) } }
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let entries = texts(ofEntriesIn: request)
        let body = state.withLock { state in
            let body = state.answers.popFirst()
            let oracle = body.flatMap { AnswerOracle(oracleSees($0), service, records: entries.count) }
            for (index, texts) in entries.enumerated() {
                if texts.count > 1 { state.shared.append(texts) } else { state.alone.formUnion(texts) }
                // Nothing says which record of a shared entry is invalid.
                guard let oracle, oracle.isProven[index] || texts.count == 1 && oracle.isRejected[index] else {
                    continue
                }
                state.mayLeave.formUnion(texts)
            }
            return body
        }
        guard let body else { throw HTTPFailure(.cannotConnect, "no answer is left") }
        return HTTPResponse(status: 200, body: body)
    }

    private func texts(ofEntriesIn request: HTTPRequest) -> [[String]] {
        PutRequestBody(request.body).aggregatedRecords.map { records in
            let texts = records.map { String(decoding: $0, as: UTF8.self) }
            guard !service.sendsPartitionKey, texts[0].hasSuffix("\n") else { return texts }
            return texts[0].split(separator: "\n").map { "\($0)\n" }
        }
    }
}
