import FoundationEssentials
import Glibc
import RecorderAWS

/// Prepares the store's directory: it exists, belongs to this user, is not writable for others, and its path has no links.
enum StoreDirectory {
    /// The longest path of a database: SQLite's MAX_PATHNAME, 512 (https://www.sqlite.org/src/doc/trunk/src/os_unix.c), less
    /// the suffixes of its log files and of a rescue's copy.
    static let longestPath = 512 - 8 - ".rescue".utf8.count

    /// The folder that the library creates if the program names none.
    static let ownName = "com.amazonaws.AWSKinesisRecorder"

    /// Creates the directory if it is missing, and refuses one in which others could create or replace files.
    ///
    /// Symbolic links in its path are resolved here and only here: SQLite is told to refuse links, and two processes that
    /// name one directory by different links must use the same files.
    ///
    /// - Returns: the resolved location, to be used for everything that is opened.
    static func prepare(_ location: StoreLocation) throws(RecorderError) -> StoreLocation {
        do {
            try PrivateDirectory.make(location.directory)
        } catch {
            throw .storage(
                "The record directory \(location.directory) cannot be created: \(error.message). "
                    + "Make it writable, or set AWS_KINESIS_RECORDER_DIR to a directory that is.",
                nil
            )
        }
        let resolved = try resolve(location)
        try secure(resolved.directory)
        return resolved
    }

    /// The location without links; its directory exists.
    static func resolve(_ location: StoreLocation) throws(RecorderError) -> StoreLocation {
        let resolved: StoreLocation
        do {
            let directory = try PrivateDirectory.resolve(location.directory)
            resolved = StoreLocation(directory: directory, fileName: location.fileName)
        } catch {
            throw .storage(
                "The record directory \(location.directory) cannot be used: \(error.message). "
                    + "Fix that, or set AWS_KINESIS_RECORDER_DIR to another directory.",
                nil
            )
        }
        let length = resolved.path.utf8.count
        guard length > longestPath else { return resolved }
        throw .storage(
            "The path of the record file \(resolved.path) has \(length) bytes; SQLite allows \(longestPath) for it. "
                + "Set AWS_KINESIS_RECORDER_DIR to a directory with a shorter path.",
            nil
        )
    }

    private static func secure(_ directory: String) throws(RecorderError) {
        guard let status = FileStatus(path: directory) else { return }
        if isTightened(directory, status), unsafe chmod(directory, 0o700) == 0 { return }
        if let wrong = FileRights.problem(ofDirectory: directory, status) {
            throw .storage("The record directory \(wrong.message)", nil)
        }
    }

    /// Whether a directory was created by the library and others have rights in it. A directory that the program or the
    /// user named stays readable for others.
    static func isTightened(_ directory: String, _ status: FileStatus) -> Bool {
        directory.hasSuffix("/\(ownName)") && status.kind == .directory && status.isOwn && status.othersHaveAccess
    }

    /// Syncs the names of the directories above a new file, as far as they are this user's, whichever process made them.
    private static func makeDirectoriesDurable(above path: String) {
        for directory in PathDiagnosis.components(of: path).dropLast().reversed() {
            guard FileStatus(path: directory)?.isOwn == true else { return }
            makeNameDurable(of: directory)
        }
    }

    /// Syncs the parent directory. Until then a power cut can lose the name of a new directory, with everything in it, or of
    /// a renamed file; SQLite syncs it for the files of a database only. Not every file system can do this.
    static func makeNameDurable(of path: String) {
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let file = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { return }
        fsync(file)
        close(file)
    }

    /// Creates the file if it is missing; called under the store's lock. SQLite would create it with the umask's rights, and
    /// its log files get the rights of this one. An existing file is not opened, see ``StoreFiles``.
    static func createFile(_ path: String) throws(RecorderError) {
        // Before: a process that finds the file relies on its directories.
        if unsafe access(path, F_OK) != 0 { makeDirectoriesDurable(above: path) }
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file >= 0 {
            // The umask may have removed permissions that this user needs.
            fchmod(file, 0o600)
            _ = close(file)
            return
        }
        if errno == EEXIST, unsafe access(path, R_OK | W_OK) == 0 { return }
        let problem = StorageErrorMapping.advice(
            for: errno,
            otherwise: "Make it readable and writable for this user, or set AWS_KINESIS_RECORDER_DIR elsewhere."
        )
        throw .storage("The record file \(path) cannot be opened: \(problem)", nil)
    }
}
