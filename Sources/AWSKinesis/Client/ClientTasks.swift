import AWSCore
import Foundation
import RecorderAWS

/// Runs the operations of one service client as tasks.
final class ClientTasks: Sendable {
    private let callers: Result<ServiceCallers, ConfigurationFailure>
    private let errors: ServiceErrorTable

    /// Without callers, every task faults with the failure.
    init(_ callers: Result<ServiceCallers, ConfigurationFailure>, _ errors: ServiceErrorTable) {
        self.callers = callers
        self.errors = errors
    }

    /// Calls an operation. The request is read before this returns, so that it may be changed and used again.
    func task<Output: AWSModel & WireShape>(
        _ operation: String,
        _ request: some AWSRequest & WireShape
    ) -> AWSTask<Output> {
        start(request) { caller, body throws(ServiceFailure) in
            try await caller.call(operation, body: body, as: Output.self)
        }
    }

    /// Calls an operation that answers with nothing but success.
    func task(_ operation: String, _ request: some AWSRequest & WireShape) -> AWSTask<AnyObject> {
        start(request) { caller, body throws(ServiceFailure) in
            _ = try await caller.call(operation, body: body)
            return nil
        }
    }

    private func start<Output: AnyObject>(
        _ request: some AWSRequest & WireShape,
        _ call: @escaping @Sendable (AWSServiceCaller, [UInt8]) async throws(ServiceFailure) -> Output?
    ) -> AWSTask<Output> {
        let source = AWSTaskCompletionSource<Output>()
        let body = request.json
        let running = Task {
            do throws(ServiceFailure) {
                source.set(result: try await call(try self.caller(), body))
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

extension AWSTask {
    /// Tells a completion handler how the task ended, on a thread that may block.
    func report(to handler: ((ResultType?, (any Error)?) -> Void)?) {
        guard let handler else { return }
        continueWith { task in
            handler(task.result, task.error)
            return nil
        }
    }

    /// The same for an operation without a result.
    func report(to handler: (((any Error)?) -> Void)?) {
        guard let handler else { return }
        continueWith { task in
            handler(task.error)
            return nil
        }
    }
}
