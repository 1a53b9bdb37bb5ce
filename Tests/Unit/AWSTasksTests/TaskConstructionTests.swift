import AWSTasks
import Foundation
import Testing

struct TaskConstructionTests {
    @Test func `a task created with a result has succeeded`() {
        let task = AWSTask(result: "x" as NSString)
        #expect(task.isCompleted && !task.isFaulted && !task.isCancelled)
        #expect(task.result == "x")
        #expect(task.error == nil)
    }

    @Test func `a result may be nil`() {
        let task = AWSTask<NSString>(result: nil)
        #expect(task.isCompleted && !task.isFaulted && !task.isCancelled)
        #expect(task.result == nil)
    }

    @Test func `a task created with an error has faulted with that error object`() throws {
        let task = AWSTask<NSString>(error: Ending.error)
        #expect(task.isCompleted && task.isFaulted && !task.isCancelled)
        #expect(task.result == nil)
        #expect(try #require(task.error as Any as? NSError) === Ending.error)
    }

    @Test func `a Swift error becomes an NSError that old code can cast to`() throws {
        struct TestError: LocalizedError {
            var errorDescription: String? { "no paper" }
        }
        for error in [TestError(), URLError(.timedOut), CancellationError()] as [any Error] {
            let stored = try #require(AWSTask<NSString>(error: error).error as Any as? NSError)
            #expect(stored.domain == (error as NSError).domain)
            #expect(stored.code == (error as NSError).code)
            #expect(stored.localizedDescription == error.localizedDescription)
        }
        #expect(AWSTask(error: TestError()).error?.localizedDescription == "no paper")
    }

    @Test func `a cancelled task is neither faulted nor has a result`() {
        let task = AWSTask<NSString>.cancelled()
        #expect(task.isCompleted && !task.isFaulted && task.isCancelled)
        #expect(task.result == nil)
        #expect(task.error == nil)
    }

    @Test func `a task created without an outcome stays pending`() {
        let task = AWSTask<NSString>()
        #expect(!task.isCompleted && !task.isFaulted && !task.isCancelled)
        #expect(task.result == nil && task.error == nil)
    }

    @Test func `a delay succeeds with nil, not earlier`() async throws {
        let start = ContinuousClock.now
        #expect(try await AWSTask<NSString>(delay: 20).value == nil)
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        #expect(try await AWSTask(delay: -5).value == nil)
    }

    @Test func `a delay with a token that is cancelled already is cancelled at once`() {
        let source = AWSCancellationTokenSource()
        source.cancel()
        #expect(AWSTask(delay: 60_000, cancellationToken: source.token).isCancelled)
    }

    @Test func `a delay checks its token again only when the time is over`() async {
        let ((task, wasCompleted), _) = withinDelay { delay in
            let source = AWSCancellationTokenSource()
            let task = AWSTask<NSString>(delay: delay, cancellationToken: source.token)
            source.cancel()
            return (task, task.isCompleted)
        }
        #expect(!wasCompleted)
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(task.isCancelled)
    }

    @Test func `a task from an executor completes with the outcome of its block`() {
        #expect(AWSTask(from: .immediate(), with: { "x" }).result as? String == "x")
        #expect(AWSTask<NSString>(from: .immediate(), with: { "x" }).result == "x")
        #expect(AWSTask(from: .immediate(), with: { nil }).result == nil)
        #expect(AWSTask(from: .immediate(), with: nil).isCompleted)
        #expect(ending(of: AWSTask(from: .immediate(), with: { throw Ending.error })) == "fault test 7")
        for end in Ending.allCases {
            #expect(ending(of: AWSTask(from: .immediate(), with: { end.task })) == ending(of: end.task))
        }
    }

    @Test func `the block of a task from an executor runs on the executor`() async throws {
        let queue = DispatchQueue(label: "here")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let task = AWSTask(from: AWSExecutor(dispatchQueue: queue), with: { DispatchQueue.getSpecific(key: key) })
        #expect(try await task.value as? Bool == true)
    }

    @Test func `the description has the AWS SDK's format`() {
        let done = AWSTask(result: "x").description
        #expect(done.hasPrefix("<AWSTask: 0x"))
        #expect(done.hasSuffix("; completed = YES; cancelled = NO; faulted = NO; result = x>"))
        let pending = AWSTask<NSString>().description
        #expect(pending.hasSuffix("; completed = NO; cancelled = NO; faulted = NO;>"))
        #expect(AWSTask(error: Ending.error).description.contains("cancelled = NO; faulted = YES; result = (null)>"))
        #expect(AWSTask.cancelled().description.contains("cancelled = YES; faulted = NO; result = (null)>"))
    }

    @Test func `a task is an NSObject, equal to itself alone`() {
        let first = AWSTask<NSString>(result: "x")
        let second = AWSTask<NSString>(result: "x")
        #expect(first.isEqual(first) && !first.isEqual(second))
        #expect(Set([first, second, first]).count == 2)
        #expect(first.hash == first.hash)
    }

    @Test func `the error constants have the AWS SDK's values`() {
        #expect(AWSTaskErrorDomain == "bolts")
        #expect(kAWSMultipleErrorsError == 80_175_001)
        #expect(AWSTaskMultipleErrorsUserInfoKey == "errors")
    }
}
