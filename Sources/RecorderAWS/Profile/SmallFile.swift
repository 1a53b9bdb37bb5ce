import Glibc

/// Reads the small files that users name: settings, tokens, certificates. It never waits, and reads no more than a limit.
///
/// Opening a FIFO waits for a writer, and reading one, a terminal or a socket for bytes that may never come. So only regular
/// files are read; `/dev/null` is an empty one.
package enum SmallFile {
    /// The bytes of a file; nil if it does not exist. Throws if it is anything else than a file, or longer than the limit.
    package static func bytes(of path: String, limit: Int) throws(ConfigurationFailure) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            let number = errno
            if number == ENOENT || number == ENOTDIR { return nil }
            throw unreadable(path, errno: number)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path, errno: errno) }
        if let kind = otherKind(status) { throw unreadable(path, because: "it is \(kind). Name a regular file.") }
        guard status.st_size <= limit else { throw tooLong(path, limit: limit) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(max(status.st_size, 0) + 1, 64 << 10))
        while bytes.count <= limit {
            let count = read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno: errno) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
        throw tooLong(path, limit: limit)
    }

    /// The token in a file: one line of at most 64 KiB, without surrounding white space.
    static func token(in path: String) throws(ConfigurationFailure) -> String {
        guard let bytes = try bytes(of: path, limit: 64 << 10) else {
            throw ConfigurationFailure("there is no file \(path.sanitized()).")
        }
        let text = String(String(decoding: bytes, as: UTF8.self).trimmed())
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw ConfigurationFailure("\(path.sanitized()) should contain a token, one line of ASCII, but does not.")
        }
        return text
    }

    /// What a path leads to instead of a regular file; nil for a regular file.
    private static func otherKind(_ status: stat) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a directory"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        // The number of /dev/null: https://docs.kernel.org/admin-guide/devices.html
        case S_IFCHR where status.st_rdev == 1 << 8 | 3: nil
        default: "a device"
        }
    }

    private static func unreadable(_ path: String, errno number: CInt) -> ConfigurationFailure {
        var status = stat()
        // A socket cannot be opened, whatever its permissions.
        if stat(path, &status) == 0, let kind = otherKind(status) {
            return unreadable(path, because: "it is \(kind). Name a regular file.")
        }
        let isTemporary = [EMFILE, ENFILE, ENOMEM, EIO].contains(number)
        if let advice = PathDiagnosis.descriptorAdvice(for: number) {
            return unreadable(path, because: advice, isTemporary: isTemporary)
        }
        let advice = number == EACCES ? " Let this user read it, or name another file." : ""
        let reason = path.hasPrefix("/") ? PathDiagnosis.obstacle(in: path)?.sanitized() : nil
        return unreadable(
            path,
            because: "\(reason ?? String(errorNumber: number)).\(advice)",
            isTemporary: isTemporary
        )
    }

    private static func unreadable(
        _ path: String,
        because reason: String,
        isTemporary: Bool = false
    ) -> ConfigurationFailure {
        ConfigurationFailure("\(path.sanitized()) cannot be read: \(reason)", isTemporary: isTemporary)
    }

    private static func tooLong(_ path: String, limit: Int) -> ConfigurationFailure {
        ConfigurationFailure("\(path.sanitized()) is longer than \(limit) bytes.")
    }
}
