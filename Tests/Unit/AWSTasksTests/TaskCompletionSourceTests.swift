import AWSTasks
import Foundation
import Testing

struct TaskCompletionSourceTests {
    @Test(arguments: Ending.allCases)
    func `a source completes its task for good`(end: Ending) {
        let source = AWSTaskCompletionSource<NSString>()
        #expect(ending(of: source.task) == "pending")
        end.complete(source)
        #expect(ending(of: source.task) == ending(of: end.task))
        #expect(!source.trySet(result: "later"))
        #expect(!source.trySet(error: NSError(domain: "later", code: 1)))
        #expect(!source.trySetCancelled())
        #expect(ending(of: source.task) == ending(of: end.task))
        #expect(source.task.result == (end == .success ? "done" : nil))
    }

    @Test func `the first try wins`() {
        let sources = (0..<3).map { _ in AWSTaskCompletionSource<NSString>() }
        #expect(sources[0].trySet(result: "x"))
        #expect(sources[1].trySet(error: Ending.error))
        #expect(sources[2].trySetCancelled())
        #expect(sources.map { ending(of: $0.task) } == ["success", "fault test 7", "cancelled"])
    }

    @Test func `a source of AnyObject accepts strings and numbers`() {
        let source = AWSTaskCompletionSource<AnyObject>()
        source.set(result: "x")
        #expect(source.task.result as? String == "x")
        let other = AWSTaskCompletionSource<AnyObject>()
        #expect(other.trySet(result: 5))
        #expect(other.task.result as? Int == 5)
        let none = AWSTaskCompletionSource<AnyObject>()
        none.set(result: nil)
        #expect(none.task.isCompleted && none.task.result == nil)
    }

    @Test func `an error is stored as an NSError object`() {
        struct TestError: Error {}
        let source = AWSTaskCompletionSource<NSString>()
        source.set(error: TestError())
        #expect(source.task.error as Any is NSError)
    }

    @Test func `setting a result on a completed task traps with a message`() async throws {
        let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let source = AWSTaskCompletionSource<NSString>()
            source.cancel()
            source.set(result: "x")
        }
        let message = String(decoding: try #require(exit).standardErrorContent, as: UTF8.self)
        #expect(message.contains("a result for a task that is completed already"))
        #expect(message.contains("trySet(result:)"))
    }

    @Test func `setting an error on a completed task traps`() async {
        await #expect(processExitsWith: .failure) {
            let source = AWSTaskCompletionSource<NSString>()
            source.set(result: nil)
            source.set(error: CocoaError(.fileNoSuchFile))
        }
    }

    @Test func `cancelling a completed task traps`() async {
        await #expect(processExitsWith: .failure) {
            let source = AWSTaskCompletionSource<NSString>()
            source.set(result: nil)
            source.cancel()
        }
    }
}
