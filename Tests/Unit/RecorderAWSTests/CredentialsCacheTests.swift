import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CredentialsCacheTests {
    /// A clock and a count of fetches; each fetch gives keys of the next number.
    final class World: Sendable {
        private struct State {
            var now = Date(timeIntervalSince1970: 1_800_000_000)
            var fetches = 0
            var life: TimeInterval?
            var fails = false
        }

        private let state: Locked<State>

        init(life: TimeInterval?) { state = Locked(State(life: life)) }

        var now: Date { state.withLock { $0.now } }
        var fetches: Int { state.withLock { $0.fetches } }

        func advance(_ seconds: TimeInterval) { state.withLock { $0.now += seconds } }
        func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

        func fetch() throws(CredentialsFailure) -> Credentials {
            let (number, end, fails) = state.withLock { state in
                state.fetches += 1
                return (state.fetches, state.life.map { state.now + $0 }, state.fails)
            }
            guard !fails else { throw CredentialsFailure("told to fail") }
            return Credentials(accessKeyID: "AKID\(number)", secretAccessKey: Canary.secret, expiration: end)
        }

        func cache() -> CredentialsCache {
            CredentialsCache(now: { self.now }) { () throws(CredentialsFailure) in try self.fetch() }
        }
    }

    @Test func `keys for an hour are renewed when ten minutes are left`() async throws {
        let world = World(life: 3600)
        let cache = world.cache()
        _ = try await cache.credentials()
        world.advance(2999)
        #expect(try await cache.credentials().accessKeyID == "AKID1")
        world.advance(2)
        #expect(try await cache.credentials().accessKeyID == "AKID2")
    }

    @Test func `keys for 90 seconds are renewed at half their life, not at every call`() async throws {
        let world = World(life: 90)
        let cache = world.cache()
        for _ in 0..<44 {
            _ = try await cache.credentials()
            world.advance(1)
        }
        #expect(world.fetches == 1)
        world.advance(2)
        _ = try await cache.credentials()
        #expect(world.fetches == 2)
    }

    @Test func `keys without an end are kept until they are refused`() async throws {
        let world = World(life: nil)
        let cache = world.cache()
        _ = try await cache.credentials()
        world.advance(1e9)
        #expect(try await cache.credentials().accessKeyID == "AKID1")
        cache.invalidate()
        #expect(try await cache.credentials().accessKeyID == "AKID2")
    }

    @Test func `a failed fetch is not final`() async throws {
        let world = World(life: 3600)
        let cache = world.cache()
        world.fail(true)
        for _ in 0..<2 { await #expect(throws: CredentialsFailure.self) { try await cache.credentials() } }
        world.fail(false)
        #expect(try await cache.credentials().accessKeyID == "AKID3")
    }

    @Test func `while old keys hold, a failed fetch gives them and waits a minute`() async throws {
        let world = World(life: 3600)
        let cache = world.cache()
        _ = try await cache.credentials()
        world.fail(true)
        world.advance(3100)
        for _ in 0..<5 { #expect(try await cache.credentials().accessKeyID == "AKID1") }
        #expect(world.fetches == 2)
        world.advance(61)
        #expect(try await cache.credentials().accessKeyID == "AKID1")
        #expect(world.fetches == 3)
        world.advance(500)
        await #expect(throws: CredentialsFailure.self) { try await cache.credentials() }
    }

    @Test func `keys that many ask for at once are fetched once`() async throws {
        let (fetches, asking) = (Recorded<Int>(), Recorded<Int>())
        let cache = CredentialsCache { () throws(CredentialsFailure) in
            fetches.append(1)
            // All the others ask before there is anything to give, and get time enough to fetch for themselves.
            while asking.all.count < 8 { await Task.yield() }
            for _ in 0..<1_000 { await Task.yield() }
            return Credentials(accessKeyID: "AKID", secretAccessKey: Canary.secret)
        }
        let callers = (0..<8).map { _ in
            Task {
                asking.append(1)
                return try await cache.credentials().accessKeyID
            }
        }
        for caller in callers { #expect(try await caller.value == "AKID") }
        #expect(fetches.all.count == 1)
    }

    @Test func `a cancelled caller stops waiting, and the others get their keys`() async throws {
        let gate = Gate()
        let started = Gate()
        let cache = CredentialsCache { () throws(CredentialsFailure) in
            started.open()
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    gate.wait()
                    continuation.resume()
                }
            }
            return Credentials(accessKeyID: "AKID", secretAccessKey: Canary.secret)
        }
        let patient = Task { try await cache.credentials() }
        let hasty = Task { try await cache.credentials() }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                started.wait()
                continuation.resume()
            }
        }
        hasty.cancel()
        let failure = await #expect(throws: CredentialsFailure.self) { try await hasty.value }
        #expect(failure?.kind == .cancelled)
        gate.open()
        #expect(try await patient.value.accessKeyID == "AKID")
    }

    @Test func `when the last caller leaves, the fetch is cancelled and the next one starts anew`() async throws {
        let fetches = Recorded<Int>()
        let cache = CredentialsCache { () throws(CredentialsFailure) in
            fetches.append(1)
            guard fetches.all.count == 1 else {
                return Credentials(accessKeyID: "AKID2", secretAccessKey: Canary.secret)
            }
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                throw CredentialsFailure("cancelled", kind: .cancelled)
            }
            throw CredentialsFailure("slept too long")
        }
        let only = Task { try await cache.credentials() }
        while fetches.all.isEmpty { await Task.yield() }
        only.cancel()
        await #expect(throws: CredentialsFailure.self) { try await only.value }
        #expect(try await cache.credentials().accessKeyID == "AKID2")
    }
}
