import FoundationEssentials
import Glibc

/// A problem with the owner or the permissions of a file or directory of ours, and the command that fixes it.
package struct FileRights: Error, Sendable {
    /// What is wrong, beginning with the path.
    package let problem: String
    /// How to fix it, as a sentence.
    package let remedy: String

    package var message: String { "\(problem). \(remedy)" }

    // MARK: directories

    /// The problem with a directory for this user's files; nil if there is none.
    ///
    /// Only the directory itself is checked, not the ones above it. A user who may write to one of those can replace the
    /// directory, but the files in it would then be theirs, and those are refused.
    package static func problem(ofDirectory path: String, _ status: FileStatus) -> FileRights? {
        guard status.kind == .directory else {
            return FileRights(problem: "\(path) is not a directory", remedy: elsewhere)
        }
        guard status.isOwn else {
            guard !status.isSticky else {
                return FileRights(problem: foreign(path, status: status), remedy: inside(path))
            }
            return FileRights(
                problem: foreign(path, status: status),
                remedy: "\(asOwner(status)), or set \(ownDirectory)."
            )
        }
        guard status.othersCanWrite else { return nil }
        let problem = "\(path) can be written by other users (mode \(status.modeText))"
        guard !status.isSticky else { return FileRights(problem: problem, remedy: inside(path)) }
        return FileRights(problem: problem, remedy: "Run: chmod go-w \(quoted(path)), or set \(ownDirectory).")
    }

    /// A shared directory such as /tmp must keep its permissions.
    private static func inside(_ path: String) -> String {
        "Use a directory of your own inside it, as in \(quoted("\(path == "/" ? "" : path)/records"))."
    }

    private static let ownDirectory = "\(StateDirectory.override) to a directory of your own"
    private static let elsewhere = "Remove it, or set \(ownDirectory)."

    // MARK: files

    /// The problem with a file of ours; nil if there is none. Access by other users is handled by ``makePrivate(_:status:)``.
    package static func problem(ofFile path: String, _ status: FileStatus) -> FileRights? {
        switch status.kind {
        case .file:
            guard !status.isOwn else { return nil }
            // In another user's directory, a program of that user may be using it.
            let parent = FileStatus(path: URL(fileURLWithPath: path).deletingLastPathComponent().path)
            let repair =
                parent?.isOwn == true ? "Run: sudo chown \(geteuid()) \(quoted(path))" : asOwner(status)
            return FileRights(problem: foreign(path, status: status), remedy: "\(repair), or set \(ownDirectory).")
        case .link:
            let target = PathDiagnosis.link(at: path)?.target ?? "?"
            return FileRights(
                problem: "\(path) is a symbolic link to \(target), and must be the file itself",
                remedy: elsewhere
            )
        case .directory, .other: return FileRights(problem: "\(path) is not a file", remedy: elsewhere)
        }
    }

    /// The problem with a file of ours that is only read; nil if there is none. Root may read another user's.
    package static func problem(ofReadFile path: String, _ status: FileStatus) -> FileRights? {
        guard status.kind == .file, !status.isOwn else { return problem(ofFile: path, status) }
        guard geteuid() != 0 else { return nil }
        return FileRights(problem: foreign(path, status: status), remedy: "\(asOwner(status)), or as root.")
    }

    private static func asOwner(_ status: FileStatus) -> String { "Run as that user (sudo -u '#\(status.owner)')" }

    /// Removes other users' permissions. Works on the path, because opening and closing a database file would release the
    /// locks that SQLite holds on it.
    ///
    /// - Returns: A problem if others can write the file and that cannot be changed. If they can only read it, as on a
    ///   file system without modes, that is accepted.
    package static func makePrivate(_ path: String, status: FileStatus) -> FileRights? {
        guard status.othersHaveAccess, chmod(path, status.mode & 0o600) != 0, status.othersCanWrite else { return nil }
        let reason = String(errorNumber: errno)
        return FileRights(
            problem:
                "\(path) can be written by other users (mode \(status.modeText)), which cannot be changed: \(reason)",
            remedy: "Set \(ownDirectory), on a file system that has modes."
        )
    }

    /// That a file or directory belongs to another user; nil if it does not.
    package static func otherOwner(of path: String) -> String? {
        FileStatus(path: path, followingLinks: true).flatMap { $0.isOwn ? nil : foreign(path, status: $0) }
    }

    private static func foreign(_ path: String, status: FileStatus) -> String {
        // A user namespace shows this id for every user outside it.
        let unknown = status.owner == 65_534 ? ", which in a container may be any user outside it" : ""
        return "\(path) belongs to another user (id \(status.owner)\(unknown))"
    }

    /// A path, quoted for a shell if needed.
    package static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            byte >= 128 || Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber
                || "/._-+=:,@%".utf8.contains(byte)
        }
        // By scalars: a quote and a combining mark after it are one character.
        return isPlain ? path : "'\(path.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined())'"
    }
}
