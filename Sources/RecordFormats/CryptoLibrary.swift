import CRecorderCrypto

/// The OpenSSL that is loaded in this process.
package enum CryptoLibrary {
    /// Starts OpenSSL, before anything here or in libcurl uses it, so that it stays usable to the end of the process.
    ///
    /// By default it frees its tables when `exit` is called or `main` returns, while the recorders' threads still sign and encrypt,
    /// which would end the process by a signal. The system frees the memory anyway.
    /// [OPENSSL_init_crypto](https://docs.openssl.org/3.0/man3/OPENSSL_init_crypto/) says that the first call decides; a program
    /// that uses OpenSSL itself before its first recorder has made that.
    package static let start: Void = {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }()
}
