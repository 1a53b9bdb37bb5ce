import Dispatch
import Foundation
package import RecorderAWS
import RecorderConcurrency
package import RecorderEngine
import RecorderHTTP
import RecorderTestSupport

/// A store with a scripted service: checks which records leave the store when a whole flush settles the answers.
package final class SettleRun: Sendable {
    private let harness: PipelineHarness
    private let answers: AnswersInTurn
    private var pipeline: RecordPipeline { harness.pipeline }

    /// Creates a store in `directory`, whose requests have a format until an answer shows that it is not understood. The oracle judges the result of `oracleSees` instead of the answer; only a
    /// control needs that.
    package init(
        _ service: StreamServiceDescription,
        _ format: RequestFormat = .json,
        in directory: String,
        oracleSees: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) throws {
        let answers = AnswersInTurn(service, oracleSees)
        self.answers = answers
        var policy = RecorderPolicy.legacy
        policy.requestFormat = format
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

    /// Saves `records` records and flushes them. Requests get the answers in turn; later requests get none.
    ///
    /// - Returns: what is wrong with the stored records afterwards; nil if nothing is.
    package func violation(in answers: [[UInt8]], records: Int) throws -> String? {
        let texts = (0..<records).map { "record \($0)" }
        self.answers.begin(answers)
        try wait { done in
            for text in texts.dropLast() { save(text) { _ in } }
            if let last = texts.last { save(last, done) } else { done(.success(())) }
        }
        _ = try? wait { done in pipeline.flush { done($0) } }
        let stored = try storedTexts(at: harness.path)
        _ = try wait { done in pipeline.clear { done($0) } }
        let mayLeave = self.answers.mayLeave
        if let lost = texts.first(where: { !stored.contains($0) && !mayLeave.contains($0) }) {
            return "\(lost) of \(records) left the store, and no answer allows that"
        }
        let kept = texts.filter(Set(stored).contains)
        return stored == kept ? nil : "\(stored.count) records are stored where \(kept.count) should be"
    }

    private func save(_ text: String, _ done: @escaping @Sendable (Result<Void, RecorderError>) -> Void) {
        pipeline.save(Data(text.utf8), stream: "stream", partitionKey: "key", completion: done)
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

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let texts = PutRequestBody(request.body).texts
        let body = state.withLock { state in
            let body = state.answers.popFirst()
            let oracle = body.flatMap { AnswerOracle(oracleSees($0), service, records: texts.count) }
            state.mayLeave.formUnion((oracle?.mayLeave ?? []).map { texts[$0] })
            return body
        }
        guard let body else { throw HTTPFailure(.cannotConnect, "no answer is left") }
        return HTTPResponse(status: 200, body: body)
    }
}
