import AWSTasks
import Foundation
import Testing

struct TaskConversionTests {
    private func nsError(of task: AWSAnyTask) -> NSError? { task.error as Any as? NSError }

    @Test(arguments: Ending.allCases)
    func `a converted task completes like the given one, completed or pending`(end: Ending) {
        let pending = AWSTaskCompletionSource<NSString>()
        let tasks: [AWSTask<AnyObject>] = [AWSTask(end.task), AWSTask(pending.task)]
        let back = tasks.map { AWSTask<NSString>($0) }
        #expect(ending(of: back[1]) == "pending")
        end.complete(pending)
        for task in back {
            #expect(ending(of: task) == ending(of: end.task))
            #expect(task.result == (end == .success ? "done" : nil))
            #expect(nsError(of: task) === nsError(of: end.task))
        }
    }

    @Test func `a nil result stays nil`() {
        let task = AWSTask<NSDictionary>(AWSTask<AnyObject>(result: nil))
        #expect(ending(of: task) == "success")
        #expect(task.result == nil)
    }

    @Test func `values that a block returned convert to the objects that hold them`() {
        let start = AWSTask<NSString>(result: "start")
        let logins = AWSTask<NSDictionary>(start.continueWith { _ -> Any? in ["example.com": "token"] })
        #expect(logins.result as? [String: String] == ["example.com": "token"])
        #expect(AWSTask<NSString>(start.continueWith { _ -> Any? in "token" }).result == "token")
        #expect(AWSTask<NSNumber>(start.continueWith { _ -> Any? in 5 }).result == 5)
    }

    @Test func `a result of another type faults with an error that names both types, and not the result`() throws {
        let task = AWSTask<NSDictionary>(AWSTask<NSString>(result: "secret"))
        let error = try #require(nsError(of: task))
        #expect(error.domain == AWSTaskErrorDomain)
        #expect(error.code == kAWSResultTypeError && kAWSResultTypeError == 80_175_002)
        let first = "AWSTask<NSDictionary> was created from a task whose result is of type NSString. "
        let second = "Return a NSDictionary from the last block of that task's chain."
        #expect(error.localizedDescription == first + second)
    }
}
