import AWSTasks
import Foundation
import Testing

struct TaskCancellationTests {
    private let source = AWSCancellationTokenSource()

    @Test func `a cancelled token cancels a success continuation at once, its task pending or not`() {
        source.cancel()
        let pending = AWSTaskCompletionSource<NSString>()
        let block: (AWSTask<NSString>) throws -> Any? = { _ in Issue.record("must not run") }
        let token = source.token
        #expect(pending.task.continueOnSuccessWith(block: block, cancellationToken: token).isCancelled)
        #expect(
            pending.task.continueOnSuccessWith(executor: .immediate(), block: block, cancellationToken: token)
                .isCancelled
        )
    }

    @Test(arguments: Ending.allCases)
    func `a token that is cancelled before the block runs cancels, even after an error`(end: Ending) {
        let pending = AWSTaskCompletionSource<NSString>()
        let block: (AWSTask<NSString>) throws -> Any? = { _ in Issue.record("must not run") }
        let token = source.token
        let chains = [
            pending.task.continueWith(block: block, cancellationToken: token),
            pending.task.continueWith(executor: .default(), block: block, cancellationToken: token),
            pending.task.continueOnSuccessWith(block: block, cancellationToken: token),
            pending.task.continueOnSuccessWith(executor: .default(), block: block, cancellationToken: token),
        ]
        source.cancel()
        let late = pending.task.continueWith(block: block, cancellationToken: token)
        #expect(chains.allSatisfy { !$0.isCompleted })
        #expect(!late.isCompleted)
        end.complete(pending)
        #expect(chains.allSatisfy { $0.isCancelled })
        #expect(late.isCancelled)
    }

    @Test(arguments: Ending.allCases)
    func `a token that is cancelled before a returned task completes cancels`(end: Ending) {
        let inner = AWSTaskCompletionSource<NSString>()
        let chain = AWSTask(result: nil).continueWith(block: { _ in inner.task }, cancellationToken: source.token)
        source.cancel()
        #expect(!chain.isCompleted)
        end.complete(inner)
        #expect(chain.isCancelled)
    }

    @Test func `a token that is cancelled by the block cancels, whatever task the block returns`() {
        let chain = AWSTask(result: nil).continueWith(
            block: { [source] _ in
                source.cancel()
                return Ending.success.task
            },
            cancellationToken: source.token
        )
        #expect(chain.isCancelled)
    }

    @Test func `a token that is never cancelled changes nothing`() {
        let chain = Ending.success.task.continueWith(block: { $0.result }, cancellationToken: source.token)
        #expect(chain.result as? String == "done")
        let plain = Ending.success.task.continueOnSuccessWith(block: { $0.result }, cancellationToken: nil)
        #expect(plain.result as? String == "done")
    }

    @Test func `observers are called once, in order, on the thread that cancels, before cancel returns`() {
        let notes = Notes()
        let thread = Thread.current
        for number in 1...3 {
            source.token.registerCancellationObserver {
                notes.add("\(number) \(Thread.current === thread)")
            }
        }
        #expect(!source.isCancellationRequested && !source.token.isCancellationRequested)
        source.cancel()
        source.cancel()
        #expect(source.isCancellationRequested && source.token.isCancellationRequested)
        #expect(notes.all == ["1 true", "2 true", "3 true"])
    }

    @Test func `an observer that is registered after the cancellation is called at once`() {
        let notes = Notes()
        source.cancel()
        source.token.registerCancellationObserver { notes.add("called") }.dispose()
        #expect(notes.all == ["called"])
    }

    @Test func `an observer may use the token from other threads`() {
        let notes = Notes()
        source.token.registerCancellationObserver { [source] in
            DispatchQueue.global().sync {
                notes.add("\(source.token.isCancellationRequested)")
                source.token.registerCancellationObserver { notes.add("added") }
            }
        }
        source.cancel()
        #expect(notes.all == ["true", "added"])
    }

    @Test func `an observer that an earlier observer disposes of is not called`() {
        let notes = Notes()
        var second: AWSCancellationTokenRegistration?
        source.token.registerCancellationObserver {
            notes.add("first")
            second?.dispose()
        }
        second = source.token.registerCancellationObserver { notes.add("second") }
        let third = source.token.registerCancellationObserver { notes.add("third") }
        third.dispose()
        third.dispose()
        source.cancel()
        #expect(notes.all == ["first"])
    }

    @Test func `an observer is freed when it is called or disposed of, and with its source`() {
        let notes = Notes()
        func register(_ token: AWSCancellationToken) -> AWSCancellationTokenRegistration {
            let freed = Freed(notes)
            return token.registerCancellationObserver { _ = freed }
        }
        register(source.token).dispose()
        #expect(notes.all.count == 1)
        _ = register(source.token)
        #expect(notes.all.count == 1)
        source.cancel()
        #expect(notes.all.count == 2)
        let other = AWSCancellationTokenSource()
        let kept = register(other.token)
        other.dispose()
        #expect(notes.all.count == 3)
        kept.dispose()
    }

    @Test func `a scheduled cancellation comes after its delay, not earlier`() async throws {
        let cancelled = AWSTaskCompletionSource<NSString>()
        source.token.registerCancellationObserver { cancelled.set(result: nil) }
        let start = ContinuousClock.now
        source.cancel(afterDelay: 20)
        _ = try await cancelled.task.value
        #expect(ContinuousClock.now - start >= .milliseconds(20))
    }

    @Test func `a delay of 0 cancels now`() {
        source.cancel(afterDelay: 0)
        #expect(source.isCancellationRequested)
    }

    @Test func `a new schedule replaces the old one, and -1 removes it`() async throws {
        let (sources, delay) = withinDelay { delay in
            let (later, never) = (AWSCancellationTokenSource(), AWSCancellationTokenSource())
            later.cancel(afterDelay: delay)
            later.cancel(afterDelay: 600_000)
            never.cancel(afterDelay: delay)
            never.cancel(afterDelay: -1)
            return [later, never]
        }
        let (notes, disposedDelay) = withinDelay { delay in
            let disposed = AWSCancellationTokenSource()
            let notes = Notes()
            disposed.token.registerCancellationObserver { notes.add("called") }
            disposed.cancel(afterDelay: delay)
            disposed.dispose()
            return notes
        }
        _ = try await AWSTask(delay: 2 * max(delay, disposedDelay)).value
        #expect(sources.allSatisfy { !$0.isCancellationRequested })
        #expect(notes.all.isEmpty)
    }

    @Test func `a source and its registrations may be disposed of twice and in any order`() {
        let early = source.token.registerCancellationObserver {}
        let late = source.token.registerCancellationObserver {}
        early.dispose()
        source.dispose()
        source.dispose()
        late.dispose()
        early.dispose()
        late.dispose()
    }

    @Test func `a task keeps the last state of a token whose source was disposed of`() {
        let pending = AWSTaskCompletionSource<NSString>()
        let going = pending.task.continueWith(block: { $0.result }, cancellationToken: source.token)
        let other = AWSCancellationTokenSource()
        let stopped = pending.task.continueWith(block: { $0.result }, cancellationToken: other.token)
        other.cancel()
        other.dispose()
        source.dispose()
        pending.set(result: "x")
        #expect(going.result as? String == "x")
        #expect(stopped.isCancelled)
    }

    @Test func `a delay below -1 traps`() async throws {
        let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            AWSCancellationTokenSource().cancel(afterDelay: -2)
        }
        let message = String(decoding: try #require(exit).standardErrorContent, as: UTF8.self)
        #expect(message.contains("cancel(afterDelay: -2)"))
    }

    @Test func `a disposed source traps when asked`() async throws {
        let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let source = AWSCancellationTokenSource()
            source.dispose()
            _ = source.isCancellationRequested
        }
        let message = String(decoding: try #require(exit).standardErrorContent, as: UTF8.self)
        #expect(message.contains("after its source was disposed of"))
        await #expect(processExitsWith: .failure) {
            let source = AWSCancellationTokenSource()
            source.dispose()
            source.cancel()
        }
        await #expect(processExitsWith: .failure) {
            let source = AWSCancellationTokenSource()
            source.dispose()
            source.cancel(afterDelay: 5)
        }
    }
}
