import Foundation

/// A file that a user names and that is small by nature: a setting, a token.
enum SmallFile {
    /// Its bytes; nil if there is no such file. One above the limit is an error, not read further.
    static func bytes(of path: String, limit: Int) throws(ConfigurationFailure) -> [UInt8]? {
        let file = fopen(path, "re")
        guard let file else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw ConfigurationFailure("\(Legible.text(path)) cannot be read: \(String(cString: strerror(errno))).")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else {
            throw ConfigurationFailure("\(Legible.text(path)) cannot be read: \(String(cString: strerror(errno))).")
        }
        guard count <= limit else {
            throw ConfigurationFailure("\(Legible.text(path)) is longer than \(limit) bytes.")
        }
        return Array(bytes[..<count])
    }

    /// The token in it: one line of at most 64 KiB, without the blanks around it.
    static func token(in path: String) throws(ConfigurationFailure) -> String {
        guard let bytes = try bytes(of: path, limit: 64 << 10) else {
            throw ConfigurationFailure("there is no file \(Legible.text(path)).")
        }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw ConfigurationFailure("\(Legible.text(path)) should hold a token, one line of ASCII, and does not.")
        }
        return text
    }
}
