import CRecorderCrypto

/// Base64 with padding and without line ends, by OpenSSL, written straight into a request's buffer.
package enum Base64 {
    /// How many characters this many bytes become.
    package static func encodedCount(_ byteCount: Int) -> Int {
        (byteCount + 2) / 3 * 4
    }

    /// Writes the characters for `bytes` and, behind them, one zero byte that the caller may overwrite; gives the
    /// number of characters.
    ///
    /// `target` must hold `encodedCount + 1` bytes: [EVP_EncodeBlock](https://docs.openssl.org/3.0/man3/EVP_EncodeInit/)
    /// always ends what it writes with a zero.
    package static func encode(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer) -> Int {
        let source = bytes.assumingMemoryBound(to: UInt8.self)
        let written = EVP_EncodeBlock(
            target.assumingMemoryBound(to: UInt8.self),
            source.baseAddress,
            CInt(bytes.count)
        )
        return Int(written)
    }

    /// Appends the characters for `bytes` to a buffer.
    package static func append(_ bytes: UnsafeRawBufferPointer, to buffer: inout [UInt8]) {
        let start = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: encodedCount(bytes.count) + 1))
        let written = buffer.withUnsafeMutableBytes { target in
            target.baseAddress.map { encode(bytes, into: $0 + start) } ?? 0
        }
        buffer.removeLast(buffer.count - start - written)
    }

    /// The bytes as base64 text.
    package static func text(_ bytes: [UInt8]) -> String {
        var buffer: [UInt8] = []
        bytes.withUnsafeBytes { append($0, to: &buffer) }
        return String(decoding: buffer, as: UTF8.self)
    }
}
