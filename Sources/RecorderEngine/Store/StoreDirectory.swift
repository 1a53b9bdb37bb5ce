import Foundation
import RecorderSQLite

/// Makes the store's directory and file ready: 0700 and 0600, owned by us, no link in the way.
enum StoreDirectory {
    /// Creates the directory if it is missing, and refuses one that others could replace.
    static func prepare(_ location: StoreLocation) throws(RecorderError) {
        let missing = missingDirectories(upTo: location.directory)
        do {
            try FileManager.default.createDirectory(
                atPath: location.directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .storage(
                "The record directory \(location.directory) cannot be created: \(reason(error)). "
                    + "Make it writable, or set AWS_KINESIS_RECORDER_DIR to a directory that is.",
                nil
            )
        }
        try refuseForeign(location.directory)
        for directory in missing { makeNameDurable(of: directory) }
    }

    /// The directory and those above it that do not exist yet.
    private static func missingDirectories(upTo directory: String) -> [String] {
        var missing: [String] = []
        var path = directory
        while path.count > 1, unsafe access(path, F_OK) != 0 {
            missing.append(path)
            path = (path as NSString).deletingLastPathComponent
        }
        return missing
    }

    /// A new directory's name may be lost at a power cut, with all that was saved in it, until its parent is synced, and
    /// a new name of a file too; SQLite does that for the files of a database only. Where a file system cannot, nothing
    /// better can be done.
    static func makeNameDurable(of path: String) {
        let parent = (path as NSString).deletingLastPathComponent
        let file = unsafe open(parent.isEmpty ? "." : parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { return }
        fsync(file)
        close(file)
    }

    private static func refuseForeign(_ directory: String) throws(RecorderError) {
        var status = stat()
        // Not by way of FileManager, which asks the user database for the owner's name: that may be on the network.
        guard unsafe lstat(directory, &status) == 0, status.st_uid != geteuid() else { return }
        throw .storage(
            "The record directory \(directory) belongs to another user (id \(status.st_uid)). "
                + "Run as that user, or set AWS_KINESIS_RECORDER_DIR to a directory of your own.",
            nil
        )
    }

    /// Creates a file where there is none; called under the store's lock. SQLite would give it the umask's rights, and
    /// its log files inherit the rights of this one.
    ///
    /// A file that exists is never opened here: closing any descriptor of it would cancel the locks that SQLite holds
    /// on it for this process, and another process could then remove the log that this one writes to,
    /// https://www.sqlite.org/howtocorrupt.html
    static func createFile(_ path: String) throws(RecorderError) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file >= 0 {
            _ = close(file)
            return
        }
        let remedy = "Make it readable and writable for this user, or set AWS_KINESIS_RECORDER_DIR elsewhere."
        let problem =
            errno == EEXIST ? troubleWithExistingFile(path, remedy) : StoreTrouble.advice(for: errno, otherwise: remedy)
        if let problem { throw .storage("The record file \(path) cannot be opened: \(problem)", nil) }
    }

    private static func troubleWithExistingFile(_ path: String, _ remedy: String) -> String? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return StoreTrouble.advice(for: errno, otherwise: remedy) }
        if status.st_mode & S_IFMT == S_IFLNK { return "it is a symbolic link. \(remedy)" }
        if status.st_mode & S_IFMT != S_IFREG { return "it is not a file. \(remedy)" }
        return unsafe access(path, R_OK | W_OK) == 0 ? nil : StoreTrouble.advice(for: errno, otherwise: remedy)
    }

    private static func reason(_ error: any Error) -> String {
        let error = error as NSError
        guard let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error else { return error.localizedDescription }
        return String(errorNumber: Int32((cause as NSError).code))
    }
}

extension String {
    /// The system's words for an `errno`.
    init(errorNumber: Int32) {
        self = unsafe String(cString: strerror(errorNumber))
    }
}
