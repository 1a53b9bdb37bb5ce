import AWSTasks
import Foundation
import Testing

/// Continuations whose blocks return tasks of one type.
struct TaskTypedContinuationTests {
    typealias Block = (AWSTask<NSString>) throws -> AWSTask<NSNumber>?
    typealias Attach = @Sendable (AWSTask<NSString>, @escaping Block) -> AWSTask<NSNumber>

    private static let token = AWSCancellationTokenSource().token

    private static let always: [Attach] = [
        { $0.continueWith(block: $1) },
        { $0.continueWith(block: $1, cancellationToken: token) },
        { $0.continueWith(executor: .immediate(), block: $1) },
        { $0.continueWith(executor: .immediate(), block: $1, cancellationToken: token) },
    ]

    private static let onSuccess: [Attach] = [
        { $0.continueOnSuccessWith(block: $1) },
        { $0.continueOnSuccessWith(block: $1, cancellationToken: token) },
        { $0.continueOnSuccessWith(executor: .immediate(), block: $1) },
        { $0.continueOnSuccessWith(executor: .immediate(), block: $1, cancellationToken: token) },
    ]

    /// A completed task, and one that completes while the body's chains wait for it.
    private func tasks(_ end: Ending, _ body: (AWSTask<NSString>) -> AWSTask<NSNumber>) -> [AWSTask<NSNumber>] {
        let pending = AWSTaskCompletionSource<NSString>()
        let chains = [body(end.task), body(pending.task)]
        end.complete(pending)
        return chains
    }

    @Test(arguments: Ending.allCases)
    func `continueWith runs whatever the outcome, and keeps the type of the block's task`(end: Ending) {
        for attach in Self.always {
            var seen: [String] = []
            let chains = tasks(end) { task in
                attach(task) { task in
                    seen.append(ending(of: task))
                    return AWSTask(result: 5)
                }
            }
            #expect(seen == Array(repeating: ending(of: end.task), count: 2))
            #expect(chains.map(\.result) == [5, 5])
        }
    }

    @Test(arguments: Ending.allCases)
    func `continueOnSuccessWith runs after a success only; other outcomes pass through`(end: Ending) {
        for attach in Self.onSuccess {
            var ran = 0
            let chains = tasks(end) { task in
                attach(task) { _ in
                    ran += 1
                    return AWSTask(result: 5)
                }
            }
            #expect(ran == (end == .success ? 2 : 0))
            #expect(chains.map(\.result) == (end == .success ? [5, 5] : [nil, nil]))
            #expect(chains.map(ending(of:)) == Array(repeating: ending(of: end.task), count: 2))
            #expect(chains.allSatisfy { ($0.error as Any as? NSError) === (end == .fault ? Ending.error : nil) })
        }
    }

    @Test func `the outcome of the block's task passes through, completed or pending`() {
        for attach in Self.always + Self.onSuccess {
            for end in Ending.allCases {
                let inner = AWSTaskCompletionSource<NSString>()
                let late = attach(Ending.success.task) { _ in
                    inner.task.continueOnSuccessWith { _ in AWSTask(result: 5) }
                }
                #expect(!late.isCompleted)
                end.complete(inner)
                #expect(ending(of: late) == ending(of: end.task))
                #expect(late.result == (end == .success ? 5 : nil))
            }
            let faulted = attach(Ending.success.task) { _ in AWSTask(error: Ending.error) }
            #expect((faulted.error as Any as? NSError) === Ending.error)
        }
    }

    @Test func `a block that returns nil, or a task without result, gives nil`() {
        for attach in Self.always + Self.onSuccess {
            for inner in [nil, AWSTask<NSNumber>(result: nil)] {
                let chain = attach(Ending.success.task) { _ in inner }
                #expect(ending(of: chain) == "success")
                #expect(chain.result == nil)
            }
        }
    }

    @Test func `an error that the block throws faults the task, a CancellationError cancels it`() {
        for attach in Self.always + Self.onSuccess {
            let faulted = attach(Ending.success.task) { _ in throw Ending.error }
            #expect((faulted.error as Any as? NSError) === Ending.error)
            #expect(attach(Ending.success.task) { _ in throw CancellationError() }.isCancelled)
        }
    }

    @Test func `a cancelled token cancels before the block runs, and before the block's task completes`() {
        let source = AWSCancellationTokenSource()
        let before = AWSTaskCompletionSource<NSString>()
        let inner = AWSTaskCompletionSource<NSNumber>()
        let never: Block = { _ in
            Issue.record("must not run")
            return nil
        }
        let waiting = before.task.continueWith(block: never, cancellationToken: source.token)
        let followed = Ending.success.task.continueWith(block: { _ in inner.task }, cancellationToken: source.token)
        source.cancel()
        let early = before.task.continueOnSuccessWith(block: never, cancellationToken: source.token)
        #expect([waiting, followed, early].map(\.isCompleted) == [false, false, true])
        before.set(result: "done")
        inner.set(result: 5)
        #expect([waiting, followed, early].allSatisfy { $0.isCancelled })
    }

    @Test func `a block with an executor runs where the executor says`() async throws {
        let queue = DispatchQueue(label: "typed")
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 7)
        let chain = Ending.success.task.continueWith(executor: AWSExecutor(dispatchQueue: queue)) { _ in
            AWSTask<NSNumber>(result: DispatchQueue.getSpecific(key: key).map { $0 as NSNumber })
        }
        #expect(try await chain.value == 7)
    }

    @Test func `a block of several statements without a written type keeps the type of its task`() {
        let chain = Ending.success.task.continueWith { task in
            let length = task.result?.length ?? 0
            return AWSTask<NSNumber>(result: length as NSNumber)
        }
        let number: NSNumber? = chain.result
        #expect(number == 4)
    }

    @Test func `a chain is an AWSTask of AnyObject where one is expected`() {
        let chains: [AWSTask<AnyObject>] = [
            Ending.success.task.continueWith { _ -> AWSTask<NSNumber>? in AWSTask(result: 5) },
            Ending.success.task.continueOnSuccessWith { _ in AWSTask<NSNumber>(result: 5) },
            Ending.success.task.continueWith { _ in
                let number = AWSTask<NSNumber>(result: 5)
                return number
            },
        ]
        #expect(chains.map { $0.result as? Int } == [5, 5, 5])
    }

    @Test func `a block may take any task as an AWSTask of AnyObject`() {
        let stored = Ending.success.task.continueWith { _ -> AWSTask<NSNumber>? in AWSTask(result: 5) }
        let read = stored.continueWith { (task: AWSTask<AnyObject>) -> Any? in task.result }
        #expect(read.result as? Int == 5)
        let block: AWSContinuationBlock = { task in task.result }
        #expect(stored.continueOnSuccessWith(block: block).result as? Int == 5)
        #expect(read.continueWith(block: block).result as? Int == 5)
    }

    @Test func `tasks of two types in one place can be continued`() {
        let typed = Ending.success.task.continueWith { _ -> AWSTask<NSNumber>? in AWSTask(result: 5) }
        let untyped = AWSTask<AnyObject>(result: "five" as NSString)
        for (first, result) in [(true, "5"), (false, "five")] {
            let task = first ? typed : untyped
            let text = task.continueOnSuccessWith { task -> Any? in "\(task.result!)" }
            #expect(text.result as? String == result)
        }
    }

    @Test(arguments: [Ending.fault, .cancellation])
    func `a block that takes any task passes an unsuccessful outcome on`(ending: Ending) {
        let passed = ending.task.continueOnSuccessWith { (_: AWSTask<AnyObject>) -> Any? in
            Issue.record("must not run")
            return nil
        }
        #expect(passed.isFaulted == ending.task.isFaulted && passed.isCancelled == ending.task.isCancelled)
    }
}
