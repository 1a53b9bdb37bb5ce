import Foundation
import Synchronization

/// Runs async work and blocks until it is done; for the main thread, which runs nothing else.
func waitFor<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) throws -> T {
    let done = DispatchSemaphore(value: 0)
    let answer = Answer<T>()
    Task {
        do {
            answer.give(.success(try await work()))
        } catch {
            answer.give(.failure(error))
        }
        done.signal()
    }
    done.wait()
    return try answer.taken().get()
}

private final class Answer<T: Sendable>: Sendable {
    private let result = Mutex<Result<T, any Error>?>(nil)

    func give(_ given: Result<T, any Error>) { result.withLock { $0 = given } }

    func taken() -> Result<T, any Error> {
        guard let given = result.withLock({ $0 }) else { fatalError("Waited for work that gave no answer.") }
        return given
    }
}
