import Foundation
import Synchronization

/// Runs async work and blocks until it is done. For the main thread, which runs nothing else.
func waitFor<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) throws -> T {
    let done = DispatchSemaphore(value: 0)
    let answer = Answer<T>()
    Task {
        do {
            answer.set(.success(try await work()))
        } catch {
            answer.set(.failure(error))
        }
        done.signal()
    }
    done.wait()
    return try answer.get().get()
}

private final class Answer<T: Sendable>: Sendable {
    private let result = Mutex<Result<T, any Error>?>(nil)

    func set(_ given: Result<T, any Error>) { result.withLock { $0 = given } }

    func get() -> Result<T, any Error> {
        guard let given = result.withLock({ $0 }) else { fatalError("The work finished without a result.") }
        return given
    }
}
