import AWSTasks
import Foundation
import Testing

struct TaskCombiningTests {
    private static func error(_ code: Int) -> NSError { NSError(domain: "test", code: code) }

    private let sources = (0..<3).map { _ in AWSTaskCompletionSource<NSString>() }
    private var tasks: [AWSTask<NSString>] { sources.map(\.task) }

    private func codes(_ task: AWSAnyTask) -> [Int]? {
        let error = task.error as Any as? NSError
        guard error?.domain == "bolts", error?.code == 80_175_001 else { return nil }
        return (error?.userInfo["errors"] as? [NSError])?.map(\.code)
    }

    @Test func `all of no tasks has succeeded with nil`() {
        for task in [AWSTask(forCompletionOfAllTasks: []), AWSTask(forCompletionOfAllTasks: nil)] {
            #expect(ending(of: task) == "success")
            #expect(task.result == nil)
        }
    }

    @Test func `all waits for every task and succeeds with nil`() {
        let all = AWSTask(forCompletionOfAllTasks: tasks)
        for source in sources.reversed() {
            #expect(!all.isCompleted)
            source.set(result: "x")
        }
        #expect(ending(of: all) == "success")
        #expect(all.result == nil)
    }

    @Test func `all with one error faults with that error object, after the last task`() throws {
        let all = AWSTask(forCompletionOfAllTasks: tasks)
        let error = Self.error(1)
        sources[1].set(error: error)
        sources[2].cancel()
        #expect(!all.isCompleted)
        sources[0].set(result: nil)
        #expect(try #require(all.error as Any as? NSError) === error)
    }

    @Test func `all with several errors lists them in the order of their occurrence`() {
        let all = AWSTask(forCompletionOfAllTasks: tasks)
        sources[2].set(error: Self.error(2))
        sources[0].set(error: Self.error(0))
        sources[1].set(error: Self.error(1))
        #expect(codes(all) == [2, 0, 1])
        #expect(codes(AWSTask(forCompletionOfAllTasks: tasks)) == [0, 1, 2])
    }

    @Test func `all without an error but with a cancellation is cancelled`() {
        let all = AWSTask(forCompletionOfAllTasks: tasks)
        sources[0].set(result: nil)
        sources[1].cancel()
        sources[2].set(result: nil)
        #expect(all.isCancelled)
    }

    @Test func `a task that is passed twice counts twice`() {
        let all = AWSTask(forCompletionOfAllTasks: [tasks[0], tasks[0]])
        #expect(!all.isCompleted)
        sources[0].set(error: Self.error(3))
        #expect(codes(all) == [3, 3])
    }

    @Test func `all with results has them in the order of the tasks, a null for each nil`() throws {
        let all = AWSTask(forCompletionOfAllTasksWithResults: tasks)
        sources[2].set(result: "c")
        sources[0].set(result: "a")
        sources[1].set(result: nil)
        let results = try #require(all.result as? [AnyObject])
        #expect(results.map { $0 as? String } == ["a", nil, "c"])
        #expect(results[1] is NSNull)
        #expect(AWSTask<NSArray>(forCompletionOfAllTasksWithResults: tasks).result?.count == 3)
    }

    @Test func `all with results of no tasks is an empty array, of nil it is nil`() {
        #expect((AWSTask(forCompletionOfAllTasksWithResults: []).result as? [AnyObject])?.count == 0)
        let none = AWSTask(forCompletionOfAllTasksWithResults: nil)
        #expect(none.isCompleted && none.result == nil)
    }

    @Test func `all with results fails as all does`() {
        let all = AWSTask(forCompletionOfAllTasksWithResults: tasks)
        sources[0].cancel()
        sources[1].set(result: "x")
        sources[2].set(error: Self.error(2))
        #expect(ending(of: all) == "fault test 2")
        #expect(all.result == nil)
    }

    @Test func `any of no tasks has succeeded with nil`() {
        for task in [AWSTask(forCompletionOfAnyTask: []), AWSTask(forCompletionOfAnyTask: nil)] {
            #expect(ending(of: task) == "success")
            #expect(task.result == nil)
        }
    }

    @Test func `any succeeds with the first success; errors and cancellations do not win`() {
        let any = AWSTask(forCompletionOfAnyTask: tasks)
        sources[1].set(error: Self.error(1))
        sources[0].cancel()
        #expect(!any.isCompleted)
        sources[2].set(result: "x")
        #expect(any.result as? String == "x")
    }

    @Test func `any ignores what comes after the first success`() {
        let any = AWSTask(forCompletionOfAnyTask: tasks)
        sources[0].set(result: "first")
        sources[1].set(result: "second")
        sources[2].set(error: Self.error(2))
        #expect(any.result as? String == "first")
    }

    @Test func `any without a success is cancelled if one task was, whatever the errors`() {
        let any = AWSTask(forCompletionOfAnyTask: tasks)
        sources[0].set(error: Self.error(0))
        sources[1].cancel()
        #expect(!any.isCompleted)
        sources[2].set(error: Self.error(2))
        #expect(any.isCancelled)
    }

    @Test func `any with errors only faults with the only one, or with all in the order of their occurrence`() throws {
        let error = Self.error(9)
        let one = AWSTask(forCompletionOfAnyTask: [AWSTask<NSString>(error: error)])
        #expect(try #require(one.error as Any as? NSError) === error)
        let any = AWSTask(forCompletionOfAnyTask: tasks)
        for number in [1, 2, 0] { sources[number].set(error: Self.error(number)) }
        #expect(codes(any) == [1, 2, 0])
    }

    @Test func `tasks of different result types may be combined`() {
        let number = AWSTask<NSNumber>(result: 5)
        let all = AWSTask(forCompletionOfAllTasksWithResults: [Ending.success.task, number])
        #expect((all.result as? [AnyObject])?.last as? Int == 5)
        let untyped: [Any] = [Ending.success.task, number]
        #expect(AWSTask(forCompletionOfAllTasks: untyped).isCompleted)
        #expect(AWSTask(forCompletionOfAnyTask: untyped).result as? String == "done")
    }

    @Test func `an element that is no task traps with its type`() async throws {
        let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = AWSTask(forCompletionOfAllTasks: [AWSTask(result: nil), "text"] as [Any])
        }
        let message = String(decoding: try #require(exit).standardErrorContent, as: UTF8.self)
        #expect(message.contains("Element 1 of the tasks to wait for is a String, not an AWSTask."))
    }
}
