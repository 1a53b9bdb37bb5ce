public import Foundation
import RecorderConcurrency

/// Writes messages to files that it starts anew by size and age: time, level, text, one line each.
///
/// The files are for this user alone. What cannot be written is lost. Settings count from the next message on.
open class AWSDDFileLogger: AWSDDAbstractLogger, @unchecked Sendable {
    // Safe because settings are behind a lock, and the file is used on the logging queue alone.

    private struct Settings {
        var maximumFileSize: UInt64 = 1 << 20
        var rollingFrequency: TimeInterval = 24 * 60 * 60
    }

    private let settings = Locked(Settings())
    private var file: (handle: FileHandle, path: String, opened: Date, size: UInt64)?

    /// Where the files are, and how many are kept.
    public let logFileManager: any AWSDDLogFileManager

    /// A logger to the default directory.
    public override convenience init() {
        self.init(logFileManager: AWSDDLogFileManagerDefault())
    }

    /// A logger to the directory of a manager.
    public init(logFileManager: any AWSDDLogFileManager) {
        self.logFileManager = logFileManager
    }

    /// The size in bytes at which a new file is started: 1 MiB by default, 0 for no limit.
    public var maximumFileSize: UInt64 {
        get { settings.withLock { $0.maximumFileSize } }
        set { settings.withLock { $0.maximumFileSize = newValue } }
    }

    /// The age in seconds at which a new file is started: a day by default, 0 for no limit.
    public var rollingFrequency: TimeInterval {
        get { settings.withLock { $0.rollingFrequency } }
        set { settings.withLock { $0.rollingFrequency = newValue } }
    }

    /// Writes a message.
    open override func log(message logMessage: AWSDDLogMessage) {
        guard let text = text(of: logMessage) else { return }
        let line = Data((text + "\n").utf8)
        startAnewIfDue(before: line.count)
        guard let handle = file?.handle, (try? handle.write(contentsOf: line)) != nil else { return }
        file?.size += UInt64(line.count)
    }

    /// Leaves the file; the next message starts a new one.
    open override func willRemove() {
        try? file?.handle.close()
        file = nil
    }

    /// Has the system write what it holds to the disk.
    open override func flush() {
        try? file?.handle.synchronize()
    }

    private func startAnewIfDue(before bytes: Int) {
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
