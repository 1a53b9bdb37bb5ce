import Glibc

/// Reads small files that users name, such as settings and tokens.
enum SmallFile {
    /// The bytes of a file; nil if it does not exist. Throws if it is longer than the limit, and reads no more than that.
    static func bytes(of path: String, limit: Int) throws(ConfigurationFailure) -> [UInt8]? {
        let file = fopen(path, "re")
        guard let file else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw ConfigurationFailure("\(path.sanitized()) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else {
            throw ConfigurationFailure("\(path.sanitized()) cannot be read: \(String(cString: strerror(errno))).")
        }
        guard count <= limit else {
            throw ConfigurationFailure("\(path.sanitized()) is longer than \(limit) bytes.")
        }
        return Array(bytes[..<count])
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
}
