import Glibc
import RecorderAWS
import RecorderStore

/// A file of this program that it replaces in one step: a reader never finds half of it.
///
/// Anything else at its path stays: a store, another file, a link, a FIFO.
struct OwnFile: Sendable {
    /// Why the file cannot be written.
    struct Problem: Error, Hashable {
        let text: String
        /// The disk or its quota, which may be free again later: no mistake in the path.
        var isTemporary = false

        fileprivate init(_ text: String) {
            self.text = text
        }

        fileprivate init(errorNumber: Int32) {
            text = String(errorNumber: errorNumber)
            isTemporary = [ENOSPC, EDQUOT, EIO, EMFILE, ENFILE].contains(errorNumber)
        }
    }

    let path: String
    /// How each such file begins. An empty file may become one.
    let beginning: String
    /// Whether all users may read it, whatever the umask.
    var isPublic = false

    /// Throws for a path at which there is, or may be, something else.
    func check() throws(Problem) {
        if StoreLocation.isPart(path.split(separator: "/").last ?? "") {
            throw Problem("this is the name of a record store's file. Give another path")
        }
        switch FileStatus(path: path)?.kind {
        case nil: return
        case .directory: throw Problem("this is a directory. Give the path of a file")
        case .link:
            let target = PathDiagnosis.link(at: path)?.target ?? "?"
            throw Problem("this is a symbolic link to \(target). Give the path of the file itself")
        case .other: throw Problem("this is not a regular file. Give the path of a file")
        case .file:
            guard try !isForeign() else {
                throw Problem("this file is of another kind, and would be replaced. Give another path, or remove it")
            }
        }
    }

    private func isForeign() throws(Problem) -> Bool {
        let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw Problem(errorNumber: errno) }
        defer { close(file) }
        var start = [UInt8](repeating: 0, count: beginning.utf8.count)
        let count = unsafe read(file, &start, start.count)
        guard count >= 0 else { throw Problem(errorNumber: errno) }
        return !start.prefix(count).elementsEqual(beginning.utf8.prefix(count == 0 ? 0 : start.count))
    }

    /// Throws if the file could not be written anew, and leaves it as it is.
    func checkReplacing() throws(Problem) {
        _ = unsafe unlink(try draft(of: ""))
    }

    /// Writes the file anew.
    func replace(with text: String) throws(Problem) {
        let draft = try draft(of: text)
        guard unsafe rename(draft, path) != 0 else { return }
        let error = errno
        _ = unsafe unlink(draft)
        throw Problem(errorNumber: error)
    }

    /// The path of a new file with this text, beside the file.
    private func draft(of text: String) throws(Problem) -> String {
        try check()
        let draft = "\(path).\(getpid()).tmp"
        _ = unsafe unlink(draft)
        let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw Problem(errorNumber: errno) }
        if isPublic { fchmod(file, 0o644) }
        var error = Output.write(text, to: file)
        if close(file) != 0 { error = error ?? errno }
        guard let error else { return draft }
        _ = unsafe unlink(draft)
        throw Problem(errorNumber: error)
    }
}
