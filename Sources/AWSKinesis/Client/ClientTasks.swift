import AWSCore
import AWSServiceClients
import RecorderAWS

/// Runs the operations of one service client as tasks.
final class ClientTasks: Sendable {
    private let callers: Result<ServiceCallers, ConfigurationFailure>
    private let errors: ServiceErrorTable

    /// Without callers, every task faults with the failure.
    init(callers: Result<ServiceCallers, ConfigurationFailure>, errors: ServiceErrorTable) {
        self.callers = callers
        self.errors = errors
    }

    /// Calls an operation. The request is encoded before this returns, so it may be changed and used again.
    func task<Output: AWSModel & WireShape>(
        _ operation: String,
        request: some AWSRequest & WireShape
    ) -> AWSTask<Output> {
        run(operation, request: request, by: AWSServiceCaller.output)
    }

    /// Calls an operation that has no output.
    func task(_ operation: String, request: some AWSRequest & WireShape) -> AWSTask<AnyObject> {
        run(operation, request: request, by: AWSServiceCaller.noOutput)
    }

    private typealias Method<Output> =
        @Sendable (AWSServiceCaller) -> @Sendable (String, [UInt8]) async throws(ServiceFailure) -> Output?

    private func run<Output: AnyObject>(
        _ operation: String,
        request: some AWSRequest & WireShape,
        by method: @escaping Method<Output>
    ) -> AWSTask<Output> {
        let source = AWSTaskCompletionSource<Output>()
        let body = request.json
        let running = Task {
            do throws(ServiceFailure) {
                source.set(result: try await method(try self.caller())(operation, body))
            } catch {
                source.set(error: error.nsError(self.errors))
            }
        }
        request.runs(in: running)
        return source.task
    }

    private func caller() throws(ServiceFailure) -> AWSServiceCaller {
        do throws(ConfigurationFailure) {
            return try callers.get().caller()
        } catch {
            throw ServiceFailure(.configuration(error), message: error.message)
        }
    }
}

extension AWSServiceCaller {
    fileprivate func output<Output: AWSModel & WireShape>(
        of operation: String,
        body: [UInt8]
    ) async throws(ServiceFailure) -> Output? {
        try await call(operation, body: body, as: Output.self)
    }

    fileprivate func noOutput(of operation: String, body: [UInt8]) async throws(ServiceFailure) -> AnyObject? {
        _ = try await call(operation, body: body)
        return nil
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
