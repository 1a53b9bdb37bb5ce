import CRecorderCrypto
import RecordFormats
import RecorderHTTP

/// A certificate or a key that OpenSSL has read; freed with this object.
///
/// The closures refuse to give a passphrase. Without them, OpenSSL asks for one at the terminal.
final class OpenSSLObject {
    let certificate: OpaquePointer?
    let key: OpaquePointer?

    /// The first certificate in a PEM text; nil if there is none.
    init?(certificateInPEM bytes: [UInt8]) {
        certificate = Self.reading(bytes) { PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil) }
        key = nil
        if certificate == nil { return nil }
    }

    /// The first private key in a PEM text; nil if there is none, or it has a passphrase.
    init?(keyInPEM bytes: [UInt8]) {
        key = Self.reading(bytes) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
        certificate = nil
        if key == nil { return nil }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    private static func reading(_ bytes: [UInt8], _ read: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        // OpenSSL keeps the errors of a thread until they are taken.
        defer { ERR_clear_error() }
        return bytes.withUnsafeBytes { bytes in
            CryptoLibrary.start
            guard let input = BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count)) else { return nil }
            defer { BIO_free(input) }
            return read(input)
        }
    }
}
