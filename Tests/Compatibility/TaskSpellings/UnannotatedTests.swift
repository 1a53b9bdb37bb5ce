import AWSCore
import Foundation
import Testing

/// Typical user code: closures without types, unused results. The same file is compiled in language modes 5 and 6.
struct UnannotatedTests {
    @Test func `trailing closures without types compile`() {
        let source = AWSTaskCompletionSource<NSString>()
        var seen: [String] = []
        source.task.continueWith { task in
            seen.append(task.result! as String)
            return nil
        }.continueWith { task in
            seen.append("then \(task.result as Any)")
            return "x"
        }.continueOnSuccessWith { task in
            seen.append("then \(task.result as! String)")
            return AWSTask(result: 5)
        }.continue { task in
            seen.append("then \(task.result as! Int)")
            return nil
        }
        source.set(result: "first")
        #expect(seen == ["first", "then nil", "then x", "then 5"])
    }

    @Test func `a bare task infers its type`() {
        var tasks = Array<AWSTask<AnyObject>>()
        for i in 0..<3 {
            tasks.append(AWSTask(result: i as NSNumber))
        }
        let bare: [AWSTask] = (0..<3).map { AWSTask(result: "\($0)") }
        let typed = [AWSTask<NSString>(result: "a")]
        let none: [AWSTask<AnyObject>]? = nil
        AWSTask(forCompletionOfAllTasks: tasks).continueWith { task in #expect(task.isCompleted) }
        AWSTask(forCompletionOfAllTasks: bare).continueWith { task in #expect(task.isCompleted) }
        AWSTask(forCompletionOfAllTasks: typed).continueWith { task in #expect(task.isCompleted) }
        AWSTask(forCompletionOfAllTasks: none).continueWith { task in #expect(task.isCompleted) }
        AWSTask(forCompletionOfAllTasks: nil).continueWith { task in #expect(task.isCompleted) }
        AWSTask(forCompletionOfAllTasks: []).continueWith { task in #expect(task.isCompleted) }
        AWSTask(forCompletionOfAllTasks: [tasks[0], typed[0]]).continueWith { task in #expect(task.isCompleted) }
        AWSTask(forCompletionOfAllTasks: [tasks[0], typed[0]] as [Any]).continueWith { task in #expect(task.isCompleted)
        }
        AWSTask(forCompletionOfAllTasksWithResults: tasks).continueWith { task in
            #expect(task.result as? [Int] == [0, 1, 2])
        }
        AWSTask<NSArray>(forCompletionOfAllTasksWithResults: tasks).continueWith { task in
            #expect(task.result as? [Int] == [0, 1, 2])
        }
        AWSTask(forCompletionOfAnyTask: tasks).continueWith { task in #expect(task.result as? Int == 0) }
        AWSTask(result: nil).continueWith { task in #expect(task.result == nil) }
        AWSTask(result: "x").continueWith { task in #expect(task.result as? String == "x") }
        AWSTask(error: CocoaError(.fileNoSuchFile)).continueWith { task in #expect(task.error as? NSError != nil) }
        AWSTask.cancelled().continueWith { task in #expect(task.isCancelled) }
        AWSTask(delay: 0).continueWith { task in #expect(task.isCompleted) }
        AWSTask(from: .immediate(), with: { 5 }).continueWith { task in #expect(task.result as? Int == 5) }
        let inferred: AWSTask<AnyObject> = AWSTask(result: "x" as NSString)
        #expect(inferred.result as? String == "x")
    }

    @Test func `the published chains compile`() {
        let save: (Int) -> AWSTask<AnyObject>? = { AWSTask(result: $0 as NSNumber) }
        let submit: () -> AWSTask<AnyObject>? = { AWSTask(result: nil) }
        let tasks: [AWSTask] = (0..<3).map { save($0)! }
        var ended = 0
        AWSTask(forCompletionOfAllTasks: tasks).continueOnSuccessWith(block: {
            (task: AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
            return submit()
        }).continueWith(block: { (task: AWSTask<AnyObject>) -> Any? in
            if let error = task.error as? NSError {
                print("Error: \(error)")
            }
            ended += 1
            return nil
        })
        let task = AWSTask(forCompletionOfAllTasks: tasks).continue(successBlock: { (task: AWSTask<AnyObject>) in
            return submit()
        })
        task.continue({ (task: AWSTask<AnyObject>) in
            switch task.error {
            case let .some(error):
                print("Error: \(error)")
            case .none:
                ended += 1
            }
            return nil
        })
        AWSTask(forCompletionOfAllTasks: tasks).continueWithSuccessBlock { task -> AnyObject? in
            submit()
        }.continueWithBlock { task -> AnyObject? in
            if let err = task.error {
                NSLog("Error: [%@]", "\(err)")
            }
            ended += 1
            return nil
        }
        task.continueWith(
            executor: AWSExecutor.mainThread(),
            block: { (task: AWSTask!) in
                return nil
            }
        )
        #expect(ended == 3)
    }

    @MainActor
    @Test func `a block may use what its actor owns`() async throws {
        var count = 0
        AWSTask(result: nil).continueWith { _ in count += 1 }
        #expect(count == 1)
        let value = try await AWSTask(result: "x").value
        #expect(value as? String == "x")
        let made = try await AWSTask {
            try await Task.sleep(nanoseconds: 1); return 5
        }.value
        #expect(made as? Int == 5)
    }
}
