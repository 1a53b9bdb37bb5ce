import RecorderStore

/// The claims of one flow's files. The numbers of neighboring inodes are neighbors, which makes them one lock. Files with one
/// inode, of which one is gone or below a copy, share a claim.
struct FlowClaims {
    private let claims: FileClaims
    private let stream: String
    /// How many files have each number.
    private var files: [Int64: Int] = [:]

    init(_ claims: FileClaims, stream: String) {
        (self.claims, self.stream) = (claims, stream)
    }

    /// How many files are claimed.
    var count: Int { files.values.reduce(0, +) }

    /// False if another process or flow reads the file. One that is claimed is to be released once.
    mutating func claim(_ key: FileKey) throws(RecorderError) -> Bool {
        let number = number(of: key)
        if files[number] == nil, try !claims.claim(number) { return false }
        files[number, default: 0] += 1
        return true
    }

    mutating func release(_ key: FileKey) {
        let number = number(of: key)
        guard let count = files[number] else { preconditionFailure("a file is released that is not claimed") }
        files[number] = count > 1 ? count - 1 : nil
        if count == 1 { claims.release(number) }
    }

    /// Whether no other process or flow reads the file.
    mutating func isFree(_ key: FileKey) -> Bool {
        guard (try? claim(key)) == true else { return false }
        release(key)
        return true
    }

    /// The stream, the device and the upper half of the inode give where a range begins, its lower half the place in it.
    private func number(of key: FileKey) -> Int64 {
        var first = FilePosition(stream: stream, pattern: "")
        (first.device, first.inode) = (key.device, key.inode >> 32 + 1)
        return first.id + Int64(key.inode & 0xFFFF_FFFF)
    }
}
