public import Foundation
import RecorderConcurrency

/// Writes messages to files that rotate by size and age, one line each: time, level, text.
///
/// Only this user can read the files. Messages that cannot be written are lost. A setting applies from the next message on.
open class AWSDDFileLogger: AWSDDAbstractLogger {
    private struct Settings {
        var maximumFileSize: UInt64 = 1 << 20
        var rollingFrequency: TimeInterval = 24 * 60 * 60
    }

    private let settings = Locked(Settings())
    private var file: (handle: FileHandle, path: String, opened: Date, size: UInt64)?

    /// Manages the directory and old files.
    public let logFileManager: any AWSDDLogFileManager

    /// A logger that writes to the default directory.
    public override convenience init() {
        self.init(logFileManager: AWSDDLogFileManagerDefault())
    }

    /// A logger that writes to the directory of a manager.
    public init(logFileManager: any AWSDDLogFileManager) {
        self.logFileManager = logFileManager
    }

    /// The maximum size of a file in bytes: 1 MiB by default, 0 for no limit.
    public var maximumFileSize: UInt64 {
        get { settings.withLock { $0.maximumFileSize } }
        set { settings.withLock { $0.maximumFileSize = newValue } }
    }

    /// The maximum age of a file in seconds: a day by default, 0 for no limit.
    public var rollingFrequency: TimeInterval {
        get { settings.withLock { $0.rollingFrequency } }
        set { settings.withLock { $0.rollingFrequency = newValue } }
    }

    /// Writes a message.
    open override func log(message logMessage: AWSDDLogMessage) {
        guard let text = text(of: logMessage) else { return }
        let line = Data((text + "\n").utf8)
        rotateIfNeeded(before: line.count)
        guard let handle = file?.handle, (try? handle.write(contentsOf: line)) != nil else { return }
        file?.size += UInt64(line.count)
    }

    /// Closes the file; the next message starts a new one.
    open override func willRemove() {
        try? file?.handle.close()
        file = nil
    }

    /// Synchronizes the file with the disk.
    open override func flush() {
        try? file?.handle.synchronize()
    }

    private func rotateIfNeeded(before bytes: Int) {
        if let file {
            let settings = settings.withLock { $0 }
            let isFull = settings.maximumFileSize > 0 && file.size + UInt64(bytes) > settings.maximumFileSize
            let isOld = settings.rollingFrequency > 0 && -file.opened.timeIntervalSinceNow >= settings.rollingFrequency
            guard isFull || isOld else { return }
            willRemove()
        }
        guard let path = logFileManager.createNewLogFile(), let handle = FileHandle(forWritingAtPath: path) else {
            return
        }
        file = (handle, path, Date(), 0)
    }
}

// Safe because settings are behind a lock, the file is used on the logging queue only, and a subclass must be safe, too. Not
// visible in Swift 5 mode, as for `AWSCredentials`.
@available(swift, introduced: 6)
extension AWSDDFileLogger: @unchecked Sendable {}
