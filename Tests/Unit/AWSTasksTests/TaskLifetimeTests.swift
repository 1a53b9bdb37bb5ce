import AWSTasks
import Foundation
import Testing

struct TaskLifetimeTests {
    private let notes = Notes()

    @Test func `a result is freed with its task`() {
        var task: AWSTask<Freed>? = AWSTask(result: Freed(notes))
        #expect(notes.all.isEmpty)
        withExtendedLifetime(task) {}
        task = nil
        #expect(notes.all == ["freed"])
    }

    @Test func `a result that comes too late is freed at once`() {
        let source = AWSTaskCompletionSource<Freed>()
        source.cancel()
        #expect(!source.trySet(result: Freed(notes)))
        #expect(notes.all == ["freed"])
    }

    @Test func `an error is freed with all tasks that took it over`() {
        do {
            let error = NSError(domain: "test", code: 7, userInfo: ["freed": Freed(notes)])
            let source = AWSTaskCompletionSource<NSString>()
            let chain = AWSTask(result: nil).continueWith { _ in source.task }.continueOnSuccessWith { _ in nil }
            let all = AWSTask(forCompletionOfAllTasks: [source.task, chain])
            source.set(error: error)
            #expect(all.isFaulted)
        }
        #expect(notes.all == ["freed"])
    }

    @Test func `objects captured by a pending task's blocks are freed with it`() {
        do {
            let source = AWSTaskCompletionSource<NSString>()
            for attach in [source.task.continueWith(block:), source.task.continueOnSuccessWith(block:)] {
                let freed = Freed(notes)
                _ = attach { _ in freed }
            }
            #expect(notes.all.isEmpty)
        }
        #expect(notes.all == ["freed", "freed"])
    }

    @Test func `a block is freed without running when its executor drops it`() {
        do {
            let freed = Freed(notes)
            let task = AWSTask(result: nil).continueWith(executor: AWSExecutor { _ in }) { _ in freed }
            #expect(!task.isCompleted)
        }
        #expect(notes.all == ["freed"])
    }

    @Test func `a cancelled wait retains nothing`() async {
        let source = AWSTaskCompletionSource<NSString>()
        do {
            let freed = Freed(notes)
            let waiting = Task { [task = source.task] in
                _ = try? await task.value
                withExtendedLifetime(freed) {}
            }
            waiting.cancel()
            await waiting.value
        }
        #expect(notes.all == ["freed"])
        #expect(!source.task.isCompleted)
    }
}
