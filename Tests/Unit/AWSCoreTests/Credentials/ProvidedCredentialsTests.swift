import AWSCore
import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

struct ProvidedCredentialsTests {
    @Test func `a user's own provider signs the calls of its configuration`() async throws {
        let expiration = Date(timeIntervalSince1970: 2_000_000_000)
        let provider = UserProvider {
            AWSTask(
                result: AWSCredentials(
                    accessKey: "a",
                    secretKey: Canary.secret,
                    sessionKey: "t",
                    expiration: expiration
                )
            )
        }
        let configuration = try #require(AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider))
        let call = try configuration.callConfiguration(for: .kinesis, environment: [:])
        let credentials = try await call.credentials.credentials()
        #expect(
            credentials
                == Credentials(
                    accessKeyID: "a",
                    secretAccessKey: Canary.secret,
                    sessionToken: "t",
                    expiration: expiration
                )
        )
    }

    @Test func `the provider is told to invalidate refused keys before it is asked again`() async throws {
        let provider = UserProvider { AWSTask(result: nil) }
        let source = ProvidedCredentials(from: provider)
        source.invalidate()
        for _ in 0..<2 { _ = try await source.credentials() }
        #expect(provider.invalidations == 1)
    }

    @Test func `a provider without keys leaves calls unsigned`() async throws {
        let source = ProvidedCredentials(from: UserProvider { AWSTask(result: nil) })
        #expect(try await source.credentials() == nil)
    }

    @Test func `users see their provider's own error`() async throws {
        let own = NSError(domain: "mine", code: 7, userInfo: [NSLocalizedDescriptionKey: "vault is shut"])
        let source = ProvidedCredentials(from: UserProvider { AWSTask(error: own) })
        let failure = await #expect(throws: CredentialsFailure.self) { try await source.credentials() }
        #expect(failure?.message.contains("vault is shut") == true)
        #expect(failure?.nsError() === own)
    }

    @Test func `a provider that cancels its task is a failure, not a cancelled submit`() async throws {
        let source = ProvidedCredentials(from: UserProvider { AWSTask.cancelled() })
        let failure = await #expect(throws: CredentialsFailure.self) { try await source.credentials() }
        #expect(failure?.kind == .failed)
    }

    @Test func `cancelling ends the wait for a provider that never returns`() async throws {
        let asked = Gate()
        let source = ProvidedCredentials(
            from: UserProvider {
                asked.open()
                return AWSTask()
            }
        )
        let waiting = Task { try await source.credentials() }
        await blocking { asked.wait() }
        waiting.cancel()
        let failure = await #expect(throws: CredentialsFailure.self) { try await waiting.value }
        #expect(failure?.kind == .cancelled)
    }

    @Test func `many providers that block do not stop the async code that they wait for`() async throws {
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let keys = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<count {
                group.addTask {
                    let provider = UserProvider {
                        let inner = AWSTask<AWSCredentials> {
                            AWSCredentials(
                                accessKey: "\(number)",
                                secretKey: Canary.secret,
                                sessionKey: nil,
                                expiration: nil
                            )
                        }
                        inner.waitUntilFinished()
                        return inner
                    }
                    return try await ProvidedCredentials(from: provider).credentials()?.accessKeyID
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(keys.count == count)
    }

    /// Runs blocking work on a new thread.
    private func blocking(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                work()
                continuation.resume()
            }
        }
    }
}

/// A user's provider, which derives from NSObject.
private final class UserProvider: NSObject, AWSCredentialsProvider, Sendable {
    private let answer: @Sendable () -> AWSTask<AWSCredentials>
    private let count = Locked(0)

    init(_ answer: @escaping @Sendable () -> AWSTask<AWSCredentials>) {
        self.answer = answer
    }

    var invalidations: Int { count.withLock { $0 } }

    func credentials() -> AWSTask<AWSCredentials> { answer() }

    func invalidateCachedTemporaryCredentials() { count.withLock { $0 += 1 } }
}
