public import Foundation
import RecorderAWS
import RecorderConcurrency

/// Manages the files of a file logger. Conform a class that derives from `NSObject`.
public protocol AWSDDLogFileManager: NSObjectProtocol {
    /// The directory.
    var logsDirectory: String { get }

    /// The number of files to keep besides the current one; 0 for no limit.
    var maximumNumberOfLogFiles: UInt { get set }

    /// The maximum size of all files together in bytes; 0 for no limit.
    var logFilesDiskQuota: UInt64 { get set }

    /// The files, newest first.
    var sortedLogFilePaths: [String] { get }

    /// Creates an empty file and returns its path; nil on failure.
    func createNewLogFile() -> String?
}

/// Manages files named after the program and the time, in their own directory. Safe to use from any thread.
public final class AWSDDLogFileManagerDefault: NSObject, AWSDDLogFileManager, Sendable {
    private struct Settings {
        var files: UInt = 5
        var bytes: UInt64 = 20 << 20
        var created = 0
    }

    private let settings = Locked(Settings())
    /// Whether another user could have created the directory, or a link in its place.
    private let isTemporary: Bool

    /// The directory.
    public let logsDirectory: String

    /// A manager of a directory, which is created with the first file.
    ///
    /// - Parameter logsDirectory: By default `<program>/logs` in `$STATE_DIRECTORY`, `$XDG_STATE_HOME` or
    ///   `~/.local/state`, or `AWS_KINESIS_RECORDER_DIR` itself; a temporary directory if there is no home directory.
    public init(logsDirectory: String? = nil) {
        let directory = logsDirectory ?? (try? StateDirectory.path(folder: "logs"))
        isTemporary = directory == nil
        self.logsDirectory = directory ?? NSTemporaryDirectory() + "logs-\(getuid())"
    }

    /// The number of files to keep besides the current one: 5 by default, 0 for no limit.
    public var maximumNumberOfLogFiles: UInt {
        get { settings.withLock { $0.files } }
        set { settings.withLock { $0.files = newValue } }
    }

    /// The maximum size of all files together in bytes: 20 MiB by default, 0 for no limit. Checked when a file is created.
    public var logFilesDiskQuota: UInt64 {
        get { settings.withLock { $0.bytes } }
        set { settings.withLock { $0.bytes = newValue } }
    }

    /// The files, newest first.
    public var sortedLogFilePaths: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: logsDirectory)) ?? []
        let ours = names.filter { $0.hasPrefix(program + " ") && $0.hasSuffix(".log") }
        return ours.sorted(by: >).map { "\(logsDirectory)/\($0)" }
    }

    /// Removes files beyond the limits, creates an empty one and returns its path; nil on failure.
    public func createNewLogFile() -> String? {
        OwnDescriptors.occupyStandard()
        try? PrivateDirectory.make(logsDirectory)
        guard !isTemporary || isPrivate else { return nil }
        removeOldFiles()
        let time = LogTime.text(Date()).replacingOccurrences(of: ":", with: "-")
        // Sorted by name, files are sorted by time; the number orders those of the same millisecond. Another process may
        // have used it already.
        for _ in 0..<100 {
            let number = settings.withLock { settings in
                settings.created += 1
                return String(format: "%06d", settings.created)
            }
            let path = "\(logsDirectory)/\(program) \(time) \(number).log"
            let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if file >= 0 {
                // The umask may have removed permissions that this user needs.
                fchmod(file, 0o600)
                close(file)
                return path
            }
            guard errno == EEXIST else { return nil }
        }
        return nil
    }

    private var isPrivate: Bool {
        FileStatus(path: logsDirectory).map { FileRights.problem(ofDirectory: logsDirectory, $0) == nil } ?? false
    }

    private var program: String { StateDirectory.fileSafe(ProcessInfo.processInfo.processName) }

    private func removeOldFiles() {
        let limits = settings.withLock { $0 }
        var bytes: UInt64 = 0
        for (index, path) in sortedLogFilePaths.enumerated() {
            let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.uint64Value ?? 0
            bytes += size
            let isBeyondCount = limits.files > 0 && index >= limits.files
            let isBeyondSize = limits.bytes > 0 && bytes > limits.bytes
            if isBeyondCount || isBeyondSize { try? FileManager.default.removeItem(atPath: path) }
        }
    }
}
