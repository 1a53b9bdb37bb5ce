// swift-format-ignore-file

import AWSKinesis
import Dispatch
import Foundation

// Code for the AWS SDK for iOS that behaves differently on Linux, and what MIGRATION.md says to write instead, formatted as
// such code is.

// MARK: a chain that is cast

private func logins() -> AWSTask<AnyObject> {
    return AWSTask<NSString>(result: "token").continueOnSuccessWith(block: { task -> Any? in
        return ["graph.facebook.com": task.result!]
    })
}

func castBefore() {
    let cast = logins() as! AWSTask<NSDictionary>
    print(cast.result!)
}

func erasedCastBefore() {
    let task: AnyObject = logins()
    let cast = task as! AWSTask<NSDictionary>
    print(cast.result!)
}

func castAfter() {
    let converted = AWSTask<NSDictionary>(logins())
    print(converted.result!["graph.facebook.com"]!)
    let typed = AWSTask<NSString>(result: "token").continueOnSuccessWith(block: { task -> AWSTask<NSDictionary>? in
        let token = task.result!
        return AWSTask(result: ["graph.facebook.com": token])
    }) as! AWSTask<NSDictionary>
    print(typed.result!["graph.facebook.com"]!)
}

// MARK: blocks for the main thread

/// Ends the program after three blocks.
private class Screen {
    var blocks = 3

    func update(_ name: String) {
        print(name)
        blocks -= 1
        if blocks == 0 { exit(0) }
    }
}

private let screen = Screen()

private func startOnMainThread() -> AWSTask<AnyObject> {
    _ = Timer.scheduledTimer(withTimeInterval: 0, repeats: false) { _ in screen.update("timer") }
    DispatchQueue.main.async { screen.update("queue") }
    let saving = AWSTaskCompletionSource<AnyObject>()
    saving.task.continueWith(
        executor: AWSExecutor.mainThread(),
        block: { (task: AWSTask<AnyObject>) -> Any? in
            screen.update("executor")
            return nil
        }
    )
    DispatchQueue.global().async { saving.set(result: nil) }
    return saving.task
}

func mainThreadBefore() {
    startOnMainThread().waitUntilFinished()
}

func mainThreadAfter() {
    _ = startOnMainThread()
    RunLoop.main.run()
}

// MARK: observers on a queue

private let saved = Notification.Name("saved")

private func postAndWait() {
    NotificationCenter.default.post(name: saved, object: nil)
    RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.2))
}

func observerBefore() {
    _ = NotificationCenter.default.addObserver(forName: saved, object: nil, queue: OperationQueue()) { _ in print("called") }
    postAndWait()
}

func observerAfter() {
    let queue = OperationQueue()
    _ = NotificationCenter.default.addObserver(forName: saved, object: nil, queue: queue) { _ in print("kept") }
    _ = NotificationCenter.default.addObserver(forName: saved, object: nil, queue: nil) { _ in print("none") }
    postAndWait()
    queue.waitUntilAllOperationsAreFinished()
}

// MARK: an array of tasks

private let tasks = NSMutableArray(array: [
    AWSTaskCompletionSource<AnyObject>().task, AWSTaskCompletionSource<NSString>().task,
])

func arrayBefore() {
    let all = AWSTask<AnyObject>(forCompletionOfAllTasks: tasks as? [AWSTask<AnyObject>])
    print(all.isCompleted)
}

func arrayAfter() {
    let all = AWSTask<AnyObject>(forCompletionOfAllTasks: tasks as? [AWSAnyTask])
    print(all.isCompleted)
}

// MARK: a program that ends at once

private func save() -> AWSKinesisRecorder {
    let recorder = AWSKinesisRecorder.default()
    recorder?.saveRecord("event".data(using: .utf8), streamName: "events").waitUntilFinished()
    return recorder!
}

func endBefore() {
    let recorder = save()
    recorder.submitAllRecords()
    print(recorder.diskBytesUsed > 0)
}

func endAfter() async throws {
    let recorder = save()
    try await recorder.submit()
    print(recorder.diskBytesUsed > 0)
}

// MARK: errors in Swift types

private let timedOut = AWSTask<AnyObject>(error: URLError(.timedOut))

func errorBefore() {
    print((timedOut.error as? URLError) == nil)
}

func errorAfter() async {
    let error = timedOut.error! as NSError
    print(error.domain == NSURLErrorDomain && error.code == NSURLErrorTimedOut)
    do {
        _ = try await timedOut.value
    } catch {
        print((error as? URLError)?.code == .timedOut)
    }
}
