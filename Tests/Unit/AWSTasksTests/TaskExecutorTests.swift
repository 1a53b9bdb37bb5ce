import AWSTasks
import Foundation
import Testing

struct TaskExecutorTests {
    @Test func `the three common executors are always the same objects`() {
        #expect(AWSExecutor.default() === AWSExecutor.default())
        #expect(AWSExecutor.immediate() === AWSExecutor.immediate())
        #expect(AWSExecutor.mainThread() === AWSExecutor.mainThread())
    }

    @Test(arguments: [AWSExecutor.default(), .immediate()])
    func `the default and the immediate executor run at once`(executor: AWSExecutor) {
        let thread = Thread.current
        let notes = Notes()
        executor.execute { notes.add(Thread.current === thread ? "here" : "elsewhere") }
        AWSTask(result: nil).continueWith(executor: executor) { _ in
            notes.add(Thread.current === thread ? "here" : "elsewhere")
            return nil
        }
        #expect(notes.all == ["here", "here"])
    }

    @MainActor
    @Test func `the main thread executor runs at once when on the main thread`() {
        let notes = Notes()
        AWSExecutor.mainThread().execute { notes.add("ran") }
        AWSTask(result: nil).continueWith(executor: .mainThread()) { _ in
            notes.add("ran")
            return nil
        }
        #expect(notes.all == ["ran", "ran"])
    }

    @Test func `the main thread executor goes to the main queue from any other thread`() async throws {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let source = AWSTaskCompletionSource<NSString>()
        let task = source.task.continueWith(executor: .mainThread()) { _ in DispatchQueue.getSpecific(key: key) }
        DispatchQueue.global().async { source.set(result: nil) }
        #expect(try await task.value as? Bool == true)
        let executed = AWSTaskCompletionSource<NSNumber>()
        DispatchQueue.global().async {
            AWSExecutor.mainThread().execute { executed.set(result: DispatchQueue.getSpecific(key: key) as NSNumber?) }
        }
        #expect(try await executed.task.value == true)
    }

    @Test func `a block executor decides when`() {
        let held = Shared<[@Sendable () -> Void]>([])
        let executor = AWSExecutor { block in
            nonisolated(unsafe) let block = block
            held.change { $0.append { block() } }
        }
        let task = AWSTask(result: nil).continueWith(executor: executor) { _ in "ran" }
        #expect(!task.isCompleted)
        for block in held.value { block() }
        #expect(task.result as? String == "ran")
    }

    @Test func `a dispatch queue executor is asynchronous even on its own queue`() async throws {
        let queue = DispatchQueue(label: "here")
        let notes = Notes()
        let last = AWSTaskCompletionSource<NSString>()
        queue.sync {
            AWSExecutor(dispatchQueue: queue).execute {
                notes.add("executed")
            }
            AWSTask(result: nil).continueWith(executor: AWSExecutor(dispatchQueue: queue)) { _ in
                notes.add("continued")
                last.set(result: nil)
                return nil
            }
            notes.add("queued")
        }
        _ = try await last.task.value
        #expect(notes.all == ["queued", "executed", "continued"])
    }

    @Test func `an operation queue executor runs operations of that queue`() async throws {
        let queue = OperationQueue()
        let executor = AWSExecutor(operationQueue: queue)
        let task = AWSTask(result: nil).continueWith(executor: executor) { _ in OperationQueue.current === queue }
        #expect(try await task.value as? Bool == true)
        let executed = AWSTaskCompletionSource<NSNumber>()
        executor.execute { executed.set(result: (OperationQueue.current === queue) as NSNumber) }
        #expect(try await executed.task.value == true)
    }

    @Test(arguments: Ending.allCases)
    func `every form of continuation accepts an executor and a token`(end: Ending) {
        let token = AWSCancellationTokenSource().token
        let notes = Notes()
        let executor = AWSExecutor { block in
            notes.add("executor")
            block()
        }
        let chains = [
            end.task.continueWith(executor: executor, block: { $0 }),
            end.task.continueWith(executor: executor, block: { $0 }, cancellationToken: token),
            end.task.continueWith(block: { $0 }, cancellationToken: token),
            end.task.continueOnSuccessWith(executor: executor, block: { $0 }),
            end.task.continueOnSuccessWith(executor: executor, block: { $0 }, cancellationToken: token),
            end.task.continueOnSuccessWith(block: { $0 }, cancellationToken: token),
        ]
        #expect(chains.map(ending) == Array(repeating: ending(of: end.task), count: 6))
        #expect(notes.all.count == 4)
    }
}
