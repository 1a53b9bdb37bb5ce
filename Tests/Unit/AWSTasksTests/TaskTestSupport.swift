import AWSTasks
import Foundation
import Glibc

/// A value that threads share, behind a lock that the thread sanitizer recognizes.
final class Shared<Value>: @unchecked Sendable {
    // Safe because the value is used under the lock only.
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) {
        stored = value
    }

    var value: Value { lock.withLock { stored } }

    func change(_ body: (inout Value) -> Void) {
        lock.withLock { body(&stored) }
    }
}

/// Notes from any thread, in order.
final class Notes: Sendable {
    private let noted = Shared<[String]>([])

    var all: [String] { noted.value }

    func add(_ note: String) {
        noted.change { $0.append(note) }
    }
}

/// The ways in which a task can end.
enum Ending: String, CaseIterable, Sendable {
    case success
    case fault
    case cancellation

    static let error = NSError(domain: "test", code: 7)

    /// A completed task that ended this way; its result is "done".
    var task: AWSTask<NSString> {
        let source = AWSTaskCompletionSource<NSString>()
        complete(source)
        return source.task
    }

    func complete(_ source: AWSTaskCompletionSource<NSString>) {
        switch self {
        case .success: source.set(result: "done")
        case .fault: source.set(error: Self.error)
        case .cancellation: source.cancel()
        }
    }
}

/// A short text for how a task ended.
func ending(of task: AWSAnyTask) -> String {
    guard task.isCompleted else { return "pending" }
    if task.isCancelled { return "cancelled" }
    if let error = task.error { return "fault \((error as Any as? NSError).map { "\($0.domain) \($0.code)" } ?? "?")" }
    return "success"
}

/// The result of `schedule` for a delay, in milliseconds, that was not over before it returned, and that delay.
///
/// On a busy machine a short delay may be over before `schedule` returns; then a longer one is tried.
func withinDelay<Result>(_ schedule: (Int32) -> Result) -> (result: Result, delay: Int32) {
    var delay: Int32 = 20
    while true {
        let start = ContinuousClock.now
        let result = schedule(delay)
        if ContinuousClock.now - start < .milliseconds(delay) { return (result, delay) }
        delay *= 10
    }
}

/// Runs work on a new thread with a stack of the given size.
func onThread<Result>(stackSize: Int, _ work: @escaping @Sendable () -> Result) async -> Result where Result: Sendable {
    await withCheckedContinuation { continuation in
        let thread = Thread { continuation.resume(returning: work()) }
        thread.stackSize = stackSize
        thread.start()
    }
}

/// Adds a note when it is freed.
final class Freed: Sendable {
    let notes: Notes

    init(_ notes: Notes) {
        self.notes = notes
    }

    deinit {
        notes.add("freed")
    }
}
