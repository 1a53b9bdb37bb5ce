import CRecorderCrypto

/// SHA-256 and HMAC-SHA-256, by OpenSSL.
package enum Digest {
    /// The length of a SHA-256 digest in bytes.
    package static let length = 32

    /// The SHA-256 of some bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { digest, count in
            guard SHA256(bytes, bytes.count, digest.baseAddress) != nil else {
                preconditionFailure("OpenSSL could not compute a SHA-256")
            }
            count = length
        }
    }

    /// The HMAC-SHA-256 of a message under a key.
    package static func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { digest, count in
            let result = HMAC(
                EVP_sha256(),
                key,
                CInt(key.count),
                message,
                message.count,
                digest.baseAddress,
                nil
            )
            guard result != nil else { preconditionFailure("OpenSSL could not compute an HMAC") }
            count = length
        }
    }

    /// Bytes as lower-case hexadecimal.
    package static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digits[Int(byte >> 4)]
                text[2 * index + 1] = digits[Int(byte & 15)]
            }
            return bytes.count * 2
        }
    }
}
