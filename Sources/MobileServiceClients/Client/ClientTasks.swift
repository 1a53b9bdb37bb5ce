import AWSServiceClients
import AWSTasks
import Foundation
import MobileFoundation
import RecorderAWS
import RecorderConcurrency
import RecorderConfiguration

/// Runs the operations of one service client as tasks.
final class ClientTasks: Sendable {
    private let callers: Result<ServiceCallers, ConfigurationFailure>
    private let errors: ServiceErrorTable

    /// Without callers, every task faults with the failure.
    init(callers: Result<ServiceCallers, ConfigurationFailure>, errors: ServiceErrorTable) {
        self.callers = callers
        self.errors = errors
    }

    /// Calls an operation; `context` has the members of the request that its host depends on. The request is encoded before
    /// this returns, so it may be changed and used again.
    func task<Output: AWSModel & WireShape>(
        _ operation: String,
        request: some AWSRequest & WireShape,
        context: EndpointContext = EndpointContext()
    ) -> AWSTask<Output> {
        let source = AWSTaskCompletionSource<Output>()
        let call = CallRequest(operation, body: request.json, context: context)
        run(call, request: request, output: Output.self) { source.finish(with: $0) }
        return source.task
    }

    /// Calls an operation that has no output.
    func task(
        _ operation: String,
        request: some AWSRequest & WireShape,
        context: EndpointContext = EndpointContext()
    ) -> AWSTask<AnyObject> {
        let source = AWSTaskCompletionSource<AnyObject>()
        let call = CallRequest(operation, body: request.json, context: context)
        run(call, request: request, output: nil) { source.finish(with: $0) }
        return source.task
    }

    /// Calls an operation and passes on its output, or nil if it has none. Not generic: compiled once for all operations.
    private func run(
        _ call: CallRequest,
        request: AWSRequest,
        output: (any WireShape.Type)?,
        completion: @escaping @Sendable (Result<(any WireShape)?, NSError>) -> Void
    ) {
        request.run {
            // Passed on to another thread, and not used here any more.
            nonisolated(unsafe) let result = await self.result(of: call, output: output)
            // Continuations may block, and the pool of Swift's tasks has few threads.
            UserCodeExecutor.run { unsafe completion(result) }
        }
    }

    private func result(
        of call: CallRequest,
        output: (any WireShape.Type)?
    ) async -> Result<(any WireShape)?, NSError> {
        do throws(ServiceFailure) {
            return .success(try await self.call(call, output: output))
        } catch {
            return .failure(error.nsError(errors))
        }
    }

    private func call(
        _ call: CallRequest,
        output: (any WireShape.Type)?
    ) async throws(ServiceFailure) -> (any WireShape)? {
        let caller = try caller()
        if let output { return try await caller.call(call, as: output) }
        _ = try await caller.call(call)
        return nil
    }

    private func caller() throws(ServiceFailure) -> AWSServiceCaller {
        do throws(ConfigurationFailure) {
            return try callers.get().caller()
        } catch {
            throw ServiceFailure(.configuration(error), message: error.message)
        }
    }
}

extension AWSTaskCompletionSource {
    fileprivate func finish(with outcome: Result<(any WireShape)?, NSError>) {
        switch outcome {
        case .success(let output): set(result: output as? ResultType)
        case .failure(let error): set(error: error)
        }
    }
}

extension AWSTask {
    /// Passes the task's result or error to a completion handler, on a thread that may block.
    func complete(_ handler: ((ResultType?, (any Error)?) -> Void)?) {
        guard let handler else { return }
        continueWith { task in
            handler(task.result, task.error)
            return nil
        }
    }

    /// Passes the task's error, if any, to the completion handler of an operation without output.
    func complete(_ handler: (((any Error)?) -> Void)?) {
        guard let handler else { return }
        continueWith { task in
            handler(task.error)
            return nil
        }
    }
}

extension AWSTask where ResultType: AWSModel & WireShape {
    /// The operation's output. Throws the task's error.
    ///
    /// If the waiting Swift task is cancelled, the wait ends; the call continues, as with a completion handler.
    nonisolated(nonsending) var output: ResultType {
        get async throws { try await value ?? ResultType.blank() }
    }
}

extension AWSTask where ResultType == AnyObject {
    /// Waits for the end of an operation without output. Throws the task's error.
    nonisolated(nonsending) var completion: Void {
        get async throws { _ = try await value }
    }
}
