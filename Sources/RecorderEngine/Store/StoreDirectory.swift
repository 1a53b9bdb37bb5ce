import Foundation
import RecorderAWS

/// Makes the store's directory ready: there, ours, written by nobody else, and known by its path without links.
enum StoreDirectory {
    /// SQLite's longest path for a database, which leaves room for the names of its log; less what the name of the copy
    /// has more that a rescue fills. https://www.sqlite.org/src/doc/trunk/src/os_unix.c has 512 as MAX_PATHNAME.
    static let longestPath = 512 - 8 - ".rescue".utf8.count

    /// The folder that the library makes where the program names none.
    static let ownName = "com.amazonaws.AWSKinesisRecorder"

    /// Creates the directory if it is missing, and refuses one where others could replace or plant files.
    ///
    /// Symbolic links in its path are followed, here and only here: SQLite is told to refuse every link, and two
    /// processes that name one directory by different links must mean the same files.
    ///
    /// - Returns: the location that the links lead to, for everything that is opened.
    static func prepare(_ location: StoreLocation) throws(RecorderError) -> StoreLocation {
        let made: [String]
        do {
            made = try PrivateDirectory.make(location.directory)
        } catch {
            throw .storage(
                "The record directory \(location.directory) cannot be created: \(error.message). "
                    + "Make it writable, or set AWS_KINESIS_RECORDER_DIR to a directory that is.",
                nil
            )
        }
        let resolved = try resolve(location)
        try secure(resolved.directory)
        for directory in made { makeNameDurable(of: directory) }
        return resolved
    }

    /// Where a location's links lead to; its directory exists.
    static func resolve(_ location: StoreLocation) throws(RecorderError) -> StoreLocation {
        let resolved: StoreLocation
        do {
            let directory = try PrivateDirectory.resolve(location.directory)
            resolved = StoreLocation(directory: directory, fileName: location.fileName)
        } catch {
            throw .storage(
                "The record directory \(location.directory) cannot be used: \(error.message). "
                    + "Mend that, or set AWS_KINESIS_RECORDER_DIR to another directory.",
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

    /// Whether a directory is one that the library made for itself, and others have rights in it now. One that the program
    /// or the user named is theirs: others keep the right to read it, if they were given that.
    static func isTightened(_ directory: String, _ status: FileStatus) -> Bool {
        directory.hasSuffix("/\(ownName)") && status.kind == .directory && status.isOwn && status.othersHaveAccess
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

    /// Creates a file where there is none; called under the store's lock. SQLite would give it the umask's rights, and
    /// its log files inherit the rights of this one. A file that exists is not opened, see ``StoreFiles``.
    static func createFile(_ path: String) throws(RecorderError) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file >= 0 {
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

extension String {
    /// The system's words for an `errno`.
    init(errorNumber: Int32) {
        self = unsafe String(cString: strerror(errorNumber))
    }
}
