import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CredentialsCacheTests {
    /// A clock and a number of fetches. Each fetch returns keys with the next number.
    final class NumberedFetcher: CredentialsFetcher {
        private struct State {
            var now = Date(timeIntervalSince1970: 1_800_000_000)
            var fetches = 0
            var lifetime: TimeInterval?
            var fails = false
        }

        private let state: Locked<State>

        init(lifetime: TimeInterval?) { state = Locked(State(lifetime: lifetime)) }

        var now: Date { state.withLock { $0.now } }
        var fetches: Int { state.withLock { $0.fetches } }

        func advance(_ seconds: TimeInterval) { state.withLock { $0.now += seconds } }
        func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

        func fetch() throws(CredentialsFailure) -> Credentials {
            let (number, end, fails) = state.withLock { state in
                state.fetches += 1
                return (state.fetches, state.lifetime.map { state.now + $0 }, state.fails)
            }
            guard !fails else { throw CredentialsFailure("scripted") }
            return Credentials(accessKeyID: "AKID\(number)", secretAccessKey: Canary.secret, expiration: end)
        }

        func cache() -> CredentialsCache {
            CredentialsCache(self, now: { self.now })
        }
    }

    /// Runs each job at once, as the executor of user code does while the system gives no thread.
    private final class InlineExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    @Test func `a shared fetch that ends before its start returns gives its result`() async throws {
        let flight = SingleFlight<Int, CredentialsFailure>(cancelled: .stoppedWaiting, on: InlineExecutor())
        for number in 1...2 {
            #expect(try await flight.value { () throws(CredentialsFailure) in number } == number)
        }
    }

    @Test func `keys for an hour are renewed when ten minutes are left`() async throws {
        let fetcher = NumberedFetcher(lifetime: 3600)
        let cache = fetcher.cache()
        _ = try await cache.current()
        fetcher.advance(2999)
        #expect(try await cache.current().accessKeyID == "AKID1")
        fetcher.advance(2)
        #expect(try await cache.current().accessKeyID == "AKID2")
    }

    @Test func `keys for 90 seconds are renewed after half their lifetime, not at every call`() async throws {
        let fetcher = NumberedFetcher(lifetime: 90)
        let cache = fetcher.cache()
        for _ in 0..<44 {
            _ = try await cache.current()
            fetcher.advance(1)
        }
        #expect(fetcher.fetches == 1)
        fetcher.advance(2)
        _ = try await cache.current()
        #expect(fetcher.fetches == 2)
    }

    @Test func `keys that do not expire are kept until they are refused`() async throws {
        let fetcher = NumberedFetcher(lifetime: nil)
        let cache = fetcher.cache()
        _ = try await cache.current()
        fetcher.advance(1e9)
        #expect(try await cache.current().accessKeyID == "AKID1")
        cache.invalidate()
        #expect(try await cache.current().accessKeyID == "AKID2")
    }

    @Test func `a failed fetch is not final`() async throws {
        let fetcher = NumberedFetcher(lifetime: 3600)
        let cache = fetcher.cache()
        fetcher.fail(true)
        for _ in 0..<2 { await #expect(throws: CredentialsFailure.self) { try await cache.current() } }
        fetcher.fail(false)
        #expect(try await cache.current().accessKeyID == "AKID3")
    }

    @Test func `while old keys are valid, they replace a failed fetch, which is tried again after a minute`()
        async throws
    {
        let fetcher = NumberedFetcher(lifetime: 3600)
        let cache = fetcher.cache()
        _ = try await cache.current()
        fetcher.fail(true)
        fetcher.advance(3100)
        for _ in 0..<5 { #expect(try await cache.current().accessKeyID == "AKID1") }
        #expect(fetcher.fetches == 2)
        fetcher.advance(61)
        #expect(try await cache.current().accessKeyID == "AKID1")
        #expect(fetcher.fetches == 3)
        fetcher.advance(500)
        await #expect(throws: CredentialsFailure.self) { try await cache.current() }
    }

    @Test func `concurrent callers share one fetch`() async throws {
        let (fetches, asking) = (Recorded<Int>(), Recorded<Int>())
        let fetcher = ScriptedFetcher {
            fetches.append(1)
            // All callers ask before there are keys, and have enough time to start a fetch of their own.
            while asking.all.count < 8 { await Task.yield() }
            for _ in 0..<1_000 { await Task.yield() }
            return .success(Credentials(accessKeyID: "AKID", secretAccessKey: Canary.secret))
        }
        let cache = CredentialsCache(fetcher)
        let callers = (0..<8).map { _ in
            Task {
                asking.append(1)
                return try await cache.current().accessKeyID
            }
        }
        for caller in callers { #expect(try await caller.value == "AKID") }
        #expect(fetches.all.count == 1)
    }

    @Test func `a cancelled caller stops waiting, and the others get their keys`() async throws {
        let gate = Gate()
        let started = Gate()
        let fetcher = ScriptedFetcher {
            started.open()
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    gate.wait()
                    continuation.resume()
                }
            }
            return .success(Credentials(accessKeyID: "AKID", secretAccessKey: Canary.secret))
        }
        let cache = CredentialsCache(fetcher)
        let waiting = Task { try await cache.current() }
        let cancelled = Task { try await cache.current() }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                started.wait()
                continuation.resume()
            }
        }
        cancelled.cancel()
        let failure = await #expect(throws: CredentialsFailure.self) { try await cancelled.value }
        #expect(failure?.kind == .cancelled)
        gate.open()
        #expect(try await waiting.value.accessKeyID == "AKID")
    }

    @Test func `when the last caller leaves, the fetch is cancelled and the next call starts another`() async throws {
        let fetches = Recorded<Int>()
        let fetcher = ScriptedFetcher {
            fetches.append(1)
            guard fetches.all.count == 1 else {
                return .success(Credentials(accessKeyID: "AKID2", secretAccessKey: Canary.secret))
            }
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                return .failure(CredentialsFailure("cancelled", kind: .cancelled))
            }
            return .failure(CredentialsFailure("slept too long"))
        }
        let cache = CredentialsCache(fetcher)
        let only = Task { try await cache.current() }
        while fetches.all.isEmpty { await Task.yield() }
        only.cancel()
        await #expect(throws: CredentialsFailure.self) { try await only.value }
        #expect(try await cache.current().accessKeyID == "AKID2")
    }
}

/// Runs a closure for each fetch.
private struct ScriptedFetcher: CredentialsFetcher {
    let script: @Sendable () async -> Result<Credentials, CredentialsFailure>

    func fetch() async throws(CredentialsFailure) -> Credentials { try await script().get() }
}
