// swift-format-ignore-file
// Written after programs that moved to Swift 6 and kept the SDK's tasks.
import AWSCognito
import AWSFirehose
import AWSKinesis

/// An actor that owns a recorder.
public actor EventStore {
    private let recorder: AWSKinesisRecorder
    private var saved = 0

    public init(key: String) {
        let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil)!
        configuration.maxRetryCount = 1
        AWSKinesisRecorder.register(with: configuration, forKey: key)
        recorder = AWSKinesisRecorder(forKey: key)
    }

    public func add(_ text: String, to stream: String) async throws -> Int {
        _ = try await recorder.saveRecord(Data(text.utf8), streamName: stream).value
        saved += 1
        return saved
    }

    public func send() async throws -> UInt {
        try await recorder.submit()
        return recorder.diskBytesUsed
    }
}

/// A main-actor model, as a view has it, whose blocks go back to the main actor.
@MainActor
public final class UploadModel {
    public private(set) var state = "idle"
    private let recorder = AWSFirehoseRecorder.default()!

    public init() {}

    public func upload(_ lines: [String], to stream: String) async {
        state = "sending"
        let tasks = lines.map { recorder.saveRecord(Data($0.utf8), streamName: stream)! }
        do {
            _ = try await AWSTask(forCompletionOfAllTasks: tasks).value
            _ = try await recorder.submitAllRecords().value
            state = "sent"
        } catch {
            state = (error as NSError).domain
        }
    }
}

/// A bridge from a task to `async` by a continuation, written before `value` was known.
extension AWSTask where ResultType == AnyObject {
    public func finished() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            continueWith { task in
                if let error = task.error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume()
                }
                return nil
            }
        }
    }
}

/// A completion handler that crosses to another thread.
public func send(_ texts: [String], to stream: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
    let recorder = AWSKinesisRecorder.default()!
    let tasks = texts.map { recorder.saveRecord($0.data(using: .utf8), streamName: stream)! }
    AWSTask(forCompletionOfAllTasks: tasks).continueOnSuccessWith { _ in
        recorder.submitAllRecords()
    }.continueWith { task in
        completion(task.error)
        return nil
    }
}

/// Several recorders at once, in a task group.
public func sendInParallel(_ keys: [String], to stream: String) async throws -> Int {
    let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil)
    for key in keys { AWSKinesisRecorder.register(with: configuration, forKey: key) }
    return try await withThrowingTaskGroup(of: Int.self) { group in
        for key in keys {
            group.addTask {
                guard let recorder = AWSKinesisRecorder(forKey: key) else { return 0 }
                recorder.saveRecord(Data(key.utf8), streamName: stream)
                try await recorder.submit()
                return 1
            }
        }
        return try await group.reduce(0, +)
    }
}

/// A submit that a user cancels together with the Swift task around it.
public func cancelledSubmit() async -> String {
    let task = Task {
        try await AWSKinesisRecorder.default()!.submit()
    }
    task.cancel()
    switch await task.result {
    case .success: return "sent"
    case .failure(is CancellationError): return "cancelled"
    case .failure(let error): return "\(error)"
    }
}

/// Errors of a submit, sorted by domain and code.
public func outcome(of stream: String) async -> String {
    let recorder = AWSKinesisRecorder.default()!
    recorder.saveRecord(Data("x".utf8), streamName: stream)
    do {
        try await recorder.submit()
        return "sent"
    } catch let error as NSError where error.domain == AWSKinesisErrorDomain {
        return AWSKinesisErrorType(rawValue: error.code) == .resourceNotFound ? "no such stream" : "\(error.code)"
    } catch {
        return (error as NSError).domain
    }
}
