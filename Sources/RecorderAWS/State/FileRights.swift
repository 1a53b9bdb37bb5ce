import Foundation

/// Who owns a file or directory of ours and who else may use it: what must not be, and the command that mends it.
package struct FileRights: Error, Sendable {
    /// What is wrong, beginning with the path.
    package let problem: String
    /// What to do, as a sentence.
    package let remedy: String

    package var message: String { "\(problem). \(remedy)" }

    // MARK: directories

    /// What is wrong with a directory that has this user's files in it; nil where nothing is.
    ///
    /// Only the directory itself is looked at. Whoever may write one above it can replace it as a whole, with other
    /// files of theirs, which are refused.
    package static func problem(ofDirectory path: String, _ status: FileStatus) -> FileRights? {
        guard status.kind == .directory else {
            return FileRights(problem: "\(path) is not a directory", remedy: elsewhere)
        }
        guard status.isOwn else {
            guard !status.isSticky else { return FileRights(problem: foreign(path, status), remedy: inside(path)) }
            let user = "Run as that user (sudo -u '#\(status.owner)')"
            let gift = geteuid() == 0 ? "" : ", give it to this one (sudo chown \(geteuid()) \(quoted(path)))"
            return FileRights(problem: foreign(path, status), remedy: "\(user)\(gift), or set \(ownDirectory).")
        }
        guard status.othersCanWrite else { return nil }
        let problem = "\(path) can be written by other users (mode \(status.modeText))"
        guard !status.isSticky else { return FileRights(problem: problem, remedy: inside(path)) }
        return FileRights(problem: problem, remedy: "Run: chmod go-w \(quoted(path)), or set \(ownDirectory).")
    }

    /// A directory for everybody's files, as /tmp, must stay one.
    private static func inside(_ path: String) -> String {
        "Use a directory of your own inside it, as in \(quoted("\(path == "/" ? "" : path)/records"))."
    }

    private static let ownDirectory = "\(StateDirectory.override) to a directory of your own"
    private static let elsewhere = "Remove it, or set \(ownDirectory)."

    // MARK: files

    /// What is wrong with a file of ours; nil where nothing is. That others may use it is for ``makePrivate(_:_:)``.
    package static func problem(ofFile path: String, _ status: FileStatus) -> FileRights? {
        switch status.kind {
        case .file:
            guard !status.isOwn else { return nil }
            return FileRights(
                problem: foreign(path, status),
                remedy: "Run: sudo chown \(geteuid()) \(quoted(path)), or set \(ownDirectory)."
            )
        case .link:
            let target = PathDiagnosis.link(at: path)?.target ?? "?"
            return FileRights(
                problem: "\(path) is a symbolic link to \(target), and must be the file itself",
                remedy: elsewhere
            )
        case .directory, .other: return FileRights(problem: "\(path) is not a file", remedy: elsewhere)
        }
    }

    /// Takes from other users what rights they have, by path: to open a database's file and close it again would end the
    /// locks that SQLite holds on it.
    ///
    /// - Returns: What is wrong if others can write it and that cannot be changed. Where they can only read it, as on a
    ///   file system without modes, it must do as it is.
    package static func makePrivate(_ path: String, _ status: FileStatus) -> FileRights? {
        guard status.othersHaveAccess, chmod(path, status.mode & 0o600) != 0, status.othersCanWrite else { return nil }
        let reason = String(cString: strerror(errno))
        return FileRights(
            problem:
                "\(path) can be written by other users (mode \(status.modeText)), which cannot be changed: \(reason)",
            remedy: "Set \(ownDirectory), on a file system that has modes."
        )
    }

    private static func foreign(_ path: String, _ status: FileStatus) -> String {
        // The id that a user namespace shows for all users that it does not know.
        let unknown = status.owner == 65_534 ? ", which in a container may be any user outside it" : ""
        return "\(path) belongs to another user (id \(status.owner)\(unknown))"
    }

    /// A path as a shell takes it.
    package static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            byte >= 128 || Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber
                || "/._-+=:,@%".utf8.contains(byte)
        }
        return isPlain ? path : "'\(path.replacingOccurrences(of: "'", with: #"'\''"#))'"
    }
}
