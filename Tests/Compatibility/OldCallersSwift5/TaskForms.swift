// swift-format-ignore-file
// Written after programs of Swift 3 to 5 and SDK 2.5 and later: tasks for work of their own.
import AWSCore

/// A function that does work elsewhere, and gives it out as a task.
public func loadProfile(named name: String) -> AWSTask<NSDictionary> {
    let completionSource = AWSTaskCompletionSource<NSDictionary>()
    DispatchQueue.global().async {
        if name.isEmpty {
            completionSource.set(error: NSError(domain: "Profile", code: 404, userInfo: nil))
        } else {
            completionSource.set(result: ["name": name])
        }
    }
    return completionSource.task
}

/// A protocol whose functions return `AWSTask<AnyObject>`, and a class behind it.
public protocol Uploading {
    func upload(_ text: String) -> AWSTask<AnyObject>
}

public final class CountingUploader: Uploading {
    public private(set) var count = 0

    public init() {}

    public func upload(_ text: String) -> AWSTask<AnyObject> {
        return AWSTask(from: AWSExecutor.immediate(), with: {
            self.count += 1
            return text.uppercased() as NSString
        })
    }
}

/// One step after the other: a loop that makes a chain.
public func inSequence(_ steps: [String], _ step: @escaping (String) -> AWSTask<AnyObject>) -> AWSTask<AnyObject> {
    var task = AWSTask<AnyObject>(result: nil)
    for name in steps {
        task = task.continueOnSuccessWith { _ in
            return step(name)
        }
    }
    return task
}

/// Retries after a delay.
public func retrying(_ times: Int, _ work: @escaping () -> AWSTask<AnyObject>) -> AWSTask<AnyObject> {
    return work().continueWith { task in
        guard task.error != nil, times > 0 else { return task }
        return AWSTask<AnyObject>(delay: 1).continueWith { _ in retrying(times - 1, work) }
    }
}

/// Continues on the main thread, to change a view.
public func onMainThread<T>(_ task: AWSTask<T>, _ update: @escaping (T?) -> Void) {
    task.continueWith(executor: AWSExecutor.mainThread(), block: { task in
        update(task.result)
        return nil
    })
}

/// Continues on a dispatch queue and on an operation queue.
public func throughQueues(_ task: AWSTask<NSString>, completion: @escaping ([String]) -> Void) {
    let queue = DispatchQueue(label: "uploads")
    let operations = OperationQueue()
    operations.name = "operations"
    task.continueWith(executor: AWSExecutor(dispatchQueue: queue)) { task -> Any? in
        return ["\(task.result ?? "")", "queue"] as NSArray
    }.continueOnSuccessWith(executor: AWSExecutor(operationQueue: operations), block: { task -> Any? in
        completion((task.result as? [String] ?? []) + [OperationQueue.current?.name ?? ""])
        return nil
    })
}

/// An executor of one's own.
public final class CountingExecutor {
    public private(set) var blocks = 0
    public private(set) lazy var executor = AWSExecutor(block: { [unowned self] block in
        self.blocks += 1
        block()
    })

    public init() {}
}

/// A download that a user may cancel.
public final class CancellableWork {
    let source = AWSCancellationTokenSource()
    public private(set) var cleanUps = 0

    public init() {}

    public func start(after milliseconds: Int32) -> AWSTask<AnyObject> {
        source.token.registerCancellationObserver { self.cleanUps += 1 }
        return AWSTask<AnyObject>(delay: milliseconds).continueOnSuccessWith(block: { _ in
            return "done" as NSString
        }, cancellationToken: source.token)
    }

    public func cancel() {
        if !source.isCancellationRequested {
            source.cancel()
        }
    }
}

/// All results in the order of the tasks, and the errors of those that failed.
public func results(of tasks: [AWSTask<AnyObject>], completion: @escaping ([String], [NSError]) -> Void) {
    AWSTask<AnyObject>(forCompletionOfAllTasksWithResults: tasks).continueWith { (task) -> Any? in
        let error = task.error as NSError?
        let errors = error?.domain == AWSTaskErrorDomain && error?.code == kAWSMultipleErrorsError
            ? error?.userInfo[AWSTaskMultipleErrorsUserInfoKey] as? [NSError] : error.map { [$0] }
        completion(task.result as? [String] ?? [], errors ?? [])
        return nil
    }
}

/// The first of several servers that answers.
public func first(of tasks: [AWSTask<NSString>]) -> AWSTask<AnyObject> {
    return AWSTask<AnyObject>(forCompletionOfAnyTask: tasks)
}

/// Waits in a background queue, as command line tools do.
public func waitFor(_ task: AWSTask<NSDictionary>, completion: @escaping (String?) -> Void) {
    DispatchQueue.global(qos: .utility).async {
        task.waitUntilFinished()
        completion(task.isFaulted ? nil : task.result?["name"] as? String)
    }
}

/// A task as a callback, for code that knows nothing of the SDK.
extension AWSTask {
    public func finally(_ completion: @escaping () -> Void) {
        continueWith { _ in
            completion()
            return nil
        }
    }
}
