import AWSCore
import Foundation
import Testing

/// Every older name does the same as its current name, whatever the outcome.
struct OlderSpellingsTests {
    enum Ending: CaseIterable, Sendable {
        case success, fault, cancellation

        var task: AWSTask<NSString> {
            switch self {
            case .success: AWSTask(result: "done")
            case .fault: AWSTask(error: NSError(domain: "test", code: 7))
            case .cancellation: AWSTask.cancelledTask()
            }
        }

        func complete(_ source: AWSTaskCompletionSource<NSString>) {
            switch self {
            case .success: source.setResult("done")
            case .fault: source.setError(NSError(domain: "test", code: 7))
            case .cancellation: source.setCancelled()
            }
        }
    }

    typealias Block = (AWSTask<NSString>) -> Any?
    typealias Attach = @Sendable (AWSTask<NSString>, @escaping Block) -> AWSTask<AnyObject>

    static let token = AWSCancellationTokenSource().token

    static let always: [Attach] = [
        { $0.continueWith(block: $1) },
        { $0.continueWith(block: $1, cancellationToken: token) },
        { $0.continueWith(executor: .default(), block: $1) },
        { $0.continueWith(executor: .default(), block: $1, cancellationToken: token) },
        { $0.continue($1) },
        { $0.continue($1, cancellationToken: token) },
        { $0.continue(with: AWSExecutor.default(), with: $1) },
        { $0.continue(with: AWSExecutor.default(), block: $1, cancellationToken: token) },
        { $0.continueWithBlock($1) },
        { $0.continueWithBlock($1, cancellationToken: token) },
        { $0.continueWithExecutor(AWSExecutor.defaultExecutor(), withBlock: $1) },
        { $0.continueWithExecutor(AWSExecutor.immediateExecutor(), block: $1, cancellationToken: token) },
    ]

    static let onSuccess: [Attach] = [
        { $0.continueOnSuccessWith(block: $1) },
        { $0.continueOnSuccessWith(block: $1, cancellationToken: token) },
        { $0.continueOnSuccessWith(executor: .default(), block: $1) },
        { $0.continueOnSuccessWith(executor: .default(), block: $1, cancellationToken: token) },
        { $0.continue(successBlock: $1) },
        { $0.continue(successBlock: $1, cancellationToken: token) },
        { $0.continue(with: AWSExecutor.default(), withSuccessBlock: $1) },
        { $0.continue(with: AWSExecutor.default(), successBlock: $1, cancellationToken: token) },
        { $0.continueWithSuccessBlock($1) },
        { $0.continueWithSuccessBlock($1, cancellationToken: token) },
        { $0.continueWithExecutor(AWSExecutor.default(), withSuccessBlock: $1) },
        { $0.continueWithExecutor(AWSExecutor.default(), successBlock: $1, cancellationToken: token) },
    ]

    @Test(arguments: Ending.allCases)
    func `every continuation runs after a completed task, and after one that completes later`(end: Ending) {
        for attach in Self.always {
            var seen: [[Bool]] = []
            func note(_ task: AWSTask<NSString>) -> Any? {
                seen.append([task.completed, task.faulted, task.cancelled])
                return "noted"
            }
            let source = AWSTaskCompletionSource<NSString>.taskCompletionSource()
            let chains = [attach(end.task, note), attach(source.task, note)]
            end.complete(source)
            #expect(seen == Array(repeating: [true, end == .fault, end == .cancellation], count: 2))
            #expect(chains.allSatisfy { $0.result as? String == "noted" })
        }
    }

    @Test(arguments: Ending.allCases)
    func `every success continuation runs after a success only`(end: Ending) {
        for attach in Self.onSuccess {
            var ran = 0
            func note(_ task: AWSTask<NSString>) -> Any? {
                ran += 1
                return task.result
            }
            let source = AWSTaskCompletionSource<NSString>()
            let chains = [attach(end.task, note), attach(source.task, note)]
            end.complete(source)
            #expect(ran == (end == .success ? 2 : 0))
            for chain in chains {
                #expect(chain.result as? String == (end == .success ? "done" : nil))
                #expect(chain.faulted == (end == .fault))
                #expect(chain.cancelled == (end == .cancellation))
            }
        }
    }

    @Test func `trailing closures of the older names mean the ones that always run`() {
        var ran: [String] = []
        let failed = Ending.fault.task
        failed.continue { task in
            ran.append("continue")
            return nil
        }
        failed.continue(with: AWSExecutor.immediate()) { task in
            ran.append("continue(with:with:)")
            return nil
        }
        failed.continueWithBlock { task -> AnyObject? in
            ran.append("continueWithBlock")
            return nil
        }
        failed.continueWithSuccessBlock { task -> AnyObject? in
            ran.append("continueWithSuccessBlock")
            return nil
        }
        #expect(ran == ["continue", "continue(with:with:)", "continueWithBlock"])
    }

    @Test func `the older try methods succeed the first time only`() {
        let source = AWSTaskCompletionSource<AnyObject>()
        #expect(source.trySetResult("x"))
        #expect(!source.trySetError(NSError(domain: "test", code: 7)))
        #expect(!source.trySetResult(nil))
        #expect(source.task.result as? String == "x")
    }

    @Test func `the older names of tokens and factories work`() {
        let source = AWSCancellationTokenSource.cancellationTokenSource()
        var calls = 0
        source.token.registerCancellationObserverWithBlock { calls += 1 }
        #expect(!source.cancellationRequested && !source.token.cancellationRequested)
        source.cancelAfterDelay(0)
        #expect(source.cancellationRequested && source.token.cancellationRequested)
        #expect(calls == 1)
        #expect(AWSTask.cancelledTask().cancelled)
        #expect(AWSTask(fromExecutor: AWSExecutor.defaultExecutor(), withBlock: { "x" }).result as? String == "x")
        #expect(AWSExecutor.mainThreadExecutor() === AWSExecutor.mainThread())
    }
}
