import CRecorderCrypto

/// The version of the OpenSSL that is loaded, such as "3.0.19".
package var openSSLLibraryVersion: String { String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)) }

/// SHA-256, HMAC-SHA-256, MD5 and SHA-1, by OpenSSL.
package enum Digest {
    /// The length of a SHA-256 digest in bytes.
    package static let length = 32
    /// The length of an MD5 digest in bytes.
    package static let md5Length = 16

    /// The SHA-256 of some bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        CryptoLibrary.start
        return [UInt8](unsafeUninitializedCapacity: length) { digest, count in
            guard SHA256(bytes, bytes.count, digest.baseAddress) != nil else {
                preconditionFailure("OpenSSL could not compute a SHA-256")
            }
            count = length
        }
    }

    /// The MD5 of some bytes, for formats that use it as a checksum; nil if this machine's OpenSSL has no MD5.
    package static func md5(_ bytes: ArraySlice<UInt8>) -> [UInt8]? { weakDigest("MD5", of: bytes, length: md5Length) }

    /// The SHA-1 of some bytes, for names that other programs make of it; nil if this machine's OpenSSL has no SHA-1.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8]? { weakDigest("SHA1", of: bytes[...], length: 20) }

    /// `-fips` asks for the algorithm where OpenSSL is restricted to those of FIPS 140, which apply to security only.
    private static func weakDigest(_ name: String, of bytes: ArraySlice<UInt8>, length: Int) -> [UInt8]? {
        CryptoLibrary.start
        var digest = [UInt8](repeating: 0, count: length)
        let result = bytes.withUnsafeBytes {
            EVP_Q_digest(nil, name, "-fips", $0.baseAddress, $0.count, &digest, nil)
        }
        return result == 1 ? digest : nil
    }

    /// The HMAC-SHA-256 of a message under a key.
    package static func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        CryptoLibrary.start
        return [UInt8](unsafeUninitializedCapacity: length) { digest, count in
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
