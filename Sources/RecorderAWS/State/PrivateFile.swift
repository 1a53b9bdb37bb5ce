import FoundationEssentials
import Glibc

/// A small file that only this user can read: mode 0600, in a directory created with mode 0700.
///
/// It is replaced atomically, so that readers in any process see the old contents or the new ones. Safe to use from any
/// thread.
package struct PrivateFile: Sendable {
    /// The file's path.
    package let path: String

    /// No larger file is written here.
    private static let largest = 64 << 10

    /// A file at this path, which need not exist.
    package init(_ path: String) {
        self.path = path
    }

    /// The contents; nil if there is no file.
    ///
    /// Symbolic links in the directory's path are followed; one instead of the file is an error. Another user's file is left
    /// alone. Other users' permissions for this user's file are removed.
    package func contents() throws(ConfigurationFailure) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if file < 0 {
            let number = errno
            if number == ENOENT || number == ENOTDIR { return nil }
            try check(FileStatus(path: path))
            errno = number
            throw failure("cannot be read")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("cannot be read") }
        try check(FileStatus(descriptor: file))
        if status.st_mode & 0o077 != 0 { fchmod(file, 0o600) }
        guard status.st_size <= Self.largest else {
            throw ConfigurationFailure(
                "\(path) has \(status.st_size) bytes, more than was ever written here. Remove it."
            )
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = read(file, &bytes, bytes.count)
        guard count >= 0 else { throw failure("cannot be read") }
        return Array(bytes.prefix(count))
    }

    /// Replaces the contents.
    package func replace(with bytes: [UInt8]) throws(ConfigurationFailure) {
        try makeDirectory()
        let draft = "\(path).\(UInt32.random(in: .min ... .max))"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("cannot be written") }
        // The umask may have removed permissions that this user needs.
        fchmod(file, 0o600)
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let problem = errno
        close(file)
        if isWritten, rename(draft, path) == 0 { return }
        if !isWritten { errno = problem }
        let failure = failure("cannot be written")
        unlink(draft)
        throw failure
    }

    /// Removes the file, if there is one.
    package func remove() {
        unlink(path)
    }

    private func makeDirectory() throws(ConfigurationFailure) {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do throws(ConfigurationFailure) {
            try PrivateDirectory.make(directory)
        } catch {
            throw ConfigurationFailure("\(path) cannot be written; \(directory) cannot be made: \(error.message).")
        }
    }

    private func check(_ status: FileStatus?) throws(ConfigurationFailure) {
        guard let status, let wrong = FileRights.problem(ofFile: path, status) else { return }
        throw ConfigurationFailure("\(wrong.problem); it is left alone. Remove it.")
    }

    /// A failure with the error of the last system call.
    private func failure(_ what: String) -> ConfigurationFailure {
        ConfigurationFailure("\(path) \(what): \(String(errorNumber: errno)).")
    }
}
