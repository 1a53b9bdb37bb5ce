import AWSTasks
import Foundation
import Testing

struct TaskAsyncTests {
    private struct TestError: Error, Equatable { let code: Int }

    @Test(arguments: [false, true])
    func `value is the result of a task, completed or pending`(pending: Bool) async throws {
        let source = AWSTaskCompletionSource<NSString>()
        if pending {
            DispatchQueue.global().async { source.set(result: "x") }
        } else {
            source.set(result: "x")
        }
        #expect(try await source.task.value == "x")
        #expect(try await AWSTask<NSString>(result: nil).value == nil)
    }

    @Test func `blocks behind async code may wait for other async code`() async throws {
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let tasks = (0..<count).map { number in
            AWSTask<NSNumber> { NSNumber(value: number) }.continueWith { _ -> Any? in
                let inner = AWSTask<NSNumber> { NSNumber(value: 2 * number) }
                inner.waitUntilFinished()
                return inner
            }
        }
        for (number, task) in tasks.enumerated() {
            #expect(try await task.value as? NSNumber == NSNumber(value: 2 * number))
        }
    }

    @Test func `value throws the error of a faulted task, a Swift error in its original type`() async throws {
        await #expect(throws: TestError(code: 3)) { try await AWSTask(error: TestError(code: 3)).value }
        let chain = AWSTask(result: nil).continueWith { _ in throw TestError(code: 4) }
        await #expect(throws: TestError(code: 4)) { try await chain.value }
        let thrown = await #expect(throws: NSError.self) { try await Ending.fault.task.value }
        #expect(thrown === Ending.error)
    }

    @Test func `value throws CancellationError for a cancelled task`() async {
        await #expect(throws: CancellationError.self) { try await AWSTask.cancelled().value }
    }

    @Test func `cancelling the waiting Swift task ends the wait, not the task`() async {
        let source = AWSTaskCompletionSource<NSString>()
        let waiting = Task { try await source.task.value?.length }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(!source.task.isCompleted)
        source.set(result: "x")
        #expect(source.task.result == "x")
    }

    @Test func `several Swift tasks may wait for one task`() async throws {
        let source = AWSTaskCompletionSource<NSNumber>()
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<100 { group.addTask { try await source.task.value?.intValue } }
            source.set(result: 5)
            for try await value in group { #expect(value == 5) }
        }
    }

    @Test func `async code completes a task with its value, error or cancellation`() async throws {
        func answer() async throws -> Int { 5 }
        #expect(try await AWSTask { try await answer() }.value as? Int == 5)
        #expect(try await AWSTask<NSString> { "x" as NSString }.value == "x")
        #expect(try await AWSTask { nil }.value == nil)
        let failed = AWSTask { () async throws -> Any? in throw TestError(code: 1) }
        await #expect(throws: TestError(code: 1)) { try await failed.value }
        #expect(failed.error as Any is NSError)
        let cancelled = AWSTask { () async throws -> Any? in throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(cancelled.isCancelled)
    }

    @Test func `a task that async code returns is followed`() async throws {
        #expect(try await AWSTask { Ending.success.task }.value as? String == "done")
        await #expect(throws: CancellationError.self) { try await AWSTask { Ending.cancellation.task }.value }
    }
}
