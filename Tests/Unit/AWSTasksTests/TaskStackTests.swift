import AWSTasks
import Foundation
import RecorderTestSupport
import Testing

/// A chain of a hundred thousand tasks on a thread whose stack has room for a few thousand calls.
@Suite(.serialized)
struct TaskStackTests {
    private static let links = isThreadSanitized ? 5_000 : 100_000
    private static let nested = links / 5
    private static let smallStack = 512 * 1024

    @Test func `a pending chain runs`() async {
        let result = await onThread(stackSize: Self.smallStack) {
            let source = AWSTaskCompletionSource<AnyObject>()
            var last = source.task
            for _ in 0..<Self.links { last = last.continueWith { $0.result } }
            source.set(result: "x")
            return last.result as? String
        }
        #expect(result == "x")
    }

    @Test func `a completed chain runs`() async {
        let result = await onThread(stackSize: Self.smallStack) {
            var last = AWSTask(result: "x")
            for _ in 0..<Self.links { last = last.continueWith { $0.result } }
            return last.result as? String
        }
        #expect(result == "x")
    }

    @Test func `a fault passes a chain of success blocks`() async {
        let wasFaulted = await onThread(stackSize: Self.smallStack) {
            let source = AWSTaskCompletionSource<AnyObject>()
            var last = source.task
            for _ in 0..<Self.links { last = last.continueOnSuccessWith { $0.result } }
            source.set(error: Ending.error)
            return last.isFaulted
        }
        #expect(wasFaulted)
    }

    @Test func `blocks that return the next step recurse`() async throws {
        @Sendable func countDown(_ left: Int) -> AWSTask<AnyObject> {
            left == 0 ? AWSTask(result: "x") : AWSTask(result: nil).continueWith { _ in countDown(left - 1) }
        }
        let last = await onThread(stackSize: Self.smallStack) { countDown(Self.links) }
        #expect(try await last.value as? String == "x")
    }

    @Test func `blocks that complete the next source recurse`() async throws {
        let last = await onThread(stackSize: Self.smallStack) {
            let sources = (0...Self.links).map { _ in AWSTaskCompletionSource<AnyObject>() }
            for (source, next) in zip(sources, sources.dropFirst()) {
                source.task.continueWith { next.set(result: $0.result) }
            }
            sources[0].set(result: "x")
            return sources[Self.links].task
        }
        #expect(try await last.value as? String == "x")
    }

    @Test func `a chain on an executor that runs inline runs`() async throws {
        let last = await onThread(stackSize: Self.smallStack) {
            let executor = AWSExecutor { $0() }
            let source = AWSTaskCompletionSource<AnyObject>()
            var last = source.task
            for _ in 0..<Self.links { last = last.continueWith(executor: executor) { $0.result } }
            source.set(result: "x")
            return last
        }
        #expect(try await last.value as? String == "x")
    }

    @Test func `a chain of returned tasks completes`() async {
        let result = await onThread(stackSize: Self.smallStack) {
            let source = AWSTaskCompletionSource<AnyObject>()
            var last = source.task
            for _ in 0..<Self.links {
                let inner = last
                last = AWSTask(result: nil).continueWith { _ in inner }
            }
            source.set(result: "x")
            return last.result as? String
        }
        #expect(result == "x")
    }

    @Test func `blocks move to another thread in order when the stack runs low`() async throws {
        let notes = Notes()
        let last = await onThread(stackSize: Self.smallStack) {
            let sources = (0...Self.nested).map { _ in AWSTaskCompletionSource<AnyObject>() }
            for (source, next) in zip(sources, sources.dropFirst()) {
                source.task.continueWith { next.set(result: $0.result) }
            }
            let end = sources[Self.nested].task
            for number in 0..<9 { end.continueWith { _ in notes.add("\(number)") } }
            let last = end.continueWith { _ in nil }
            sources[0].set(result: "x")
            return last
        }
        _ = try await last.value
        #expect(notes.all == (0..<9).map { "\($0)" })
    }

    @Test(arguments: ["chain", "adoptions", "combined"])
    func `a pending chain is freed`(kind: String) async {
        let notes = Notes()
        await onThread(stackSize: Self.smallStack) {
            let source = AWSTaskCompletionSource<AnyObject>()
            var last = source.task
            for _ in 0..<Self.links {
                let inner = last
                switch kind {
                case "chain": last = last.continueWith { _ in nil }
                case "adoptions": last = AWSTask(result: nil).continueWith { _ in inner }
                default: last = AWSTask(forCompletionOfAllTasks: [last])
                }
            }
            let freed = Freed(notes)
            last.continueWith { _ in _ = freed }
        }
        #expect(notes.all == ["freed"])
    }
}
