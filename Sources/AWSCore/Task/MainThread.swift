import Foundation

/// The thread that serves the main queue.
enum MainThread {
    /// True on the main thread, and on whichever thread is running the main queue: after `dispatchMain()`, or in a program
    /// with an `async` main function, Linux serves that queue from another thread.
    static var isCurrent: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: key) != nil
    }

    /// Says on standard error, once a process, that the main thread waits for a task.
    static func warnOfWaiting() {
        _ = warning
    }

    private static let key: DispatchSpecificKey<Void> = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    private static let warning: Void = FileHandle.standardError.write(
        Data(
            """
            Warning: AWSTask.waitUntilFinished() is blocking the main thread; nothing on the main queue runs meanwhile.
            If the task needs the main queue it never finishes: use continueWith(block:) or await its value instead.

            """.utf8
        )
    )
}
