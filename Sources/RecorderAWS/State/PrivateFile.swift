import Foundation

/// A small file for this user's eyes only: 0600, in a directory made with 0700.
///
/// It is replaced as a whole, so that a reader, in another process too, sees the old contents or the new. Safe to use
/// from any thread.
package struct PrivateFile: Sendable {
    /// Where it lies.
    package let path: String

    /// More than this was not written here.
    private static let largest = 64 << 10

    /// A file at this place, which need not exist.
    package init(_ path: String) {
        self.path = path
    }

    /// The contents; nil if there is no file. A link, or another user's file, is not followed.
    package func contents() throws(ConfigurationFailure) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        if file < 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("cannot be read")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw ConfigurationFailure("\(path) is not a file of this user; it is left alone. Remove it.")
        }
        guard status.st_size <= Self.largest else {
            throw ConfigurationFailure("\(path) has \(status.st_size) bytes, too many for what it is. Remove it.")
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
        var status = stat()
        if stat(directory, &status) == 0 { return }
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw failure("cannot be written: \(directory) cannot be made")
        }
    }

    /// What the last system call said.
    private func failure(_ what: String) -> ConfigurationFailure {
        ConfigurationFailure("\(path) \(what): \(String(cString: strerror(errno))).")
    }
}
