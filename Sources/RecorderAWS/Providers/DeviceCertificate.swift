import CRecorderCrypto
import FoundationEssentials
import Glibc
import RecorderHTTP

/// Checks a certificate and its private key before they are used, because libcurl says only that they cannot be.
///
/// Objects behind a PKCS#11 URI are not checked: that is up to OpenSSL and the token.
enum DeviceCertificate {
    typealias Setting = IoTSettings.Setting

    /// The largest file that is read, in bytes: a chain of certificates.
    private static let limit = 64 << 10

    /// Throws if a file cannot be used, if all users can read the key, or if the key is for another certificate.
    static func check(certificate: Setting, key: Setting) throws(CredentialsFailure) {
        for setting in [certificate, key] where setting.value.isEmpty {
            throw CredentialsFailure("\(setting.name) is empty: a device needs a certificate and its private key.")
        }
        for setting in [certificate, key] where setting.isMisspelledToken {
            throw CredentialsFailure(
                "\(setting.name): a PKCS#11 URI must begin with pkcs11:; remove quotes and blanks around it."
            )
        }
        let own = ClientCertificate.isToken(certificate.value) ? nil : try read(certificate)
        guard !ClientCertificate.isToken(key.value) else { return }
        let pair = try readKey(key)
        guard let own, X509_check_private_key(own.certificate, pair.key) != 1 else { return }
        ERR_clear_error()
        throw CredentialsFailure(
            "\(key.name): the private key in \(name(of: key)) does not belong to the certificate in "
                + "\(name(of: certificate)) (\(certificate.name)): use the key with which that certificate was issued."
        )
    }

    /// The path of a certificate or a key, for messages. A PKCS#11 URI may contain a PIN.
    static func name(of setting: Setting) -> String {
        ClientCertificate.isToken(setting.value) ? "at the PKCS#11 URI" : setting.shown()
    }

    /// A sentence if the certificate is expired or not valid yet by this machine's clock; nil if it is valid, or unknown.
    static func problemWithDates(of setting: Setting, now: Date) -> String? {
        guard !ClientCertificate.isToken(setting.value), let own = try? read(setting) else { return nil }
        guard let start = date(X509_get0_notBefore(own.certificate)),
            let end = date(X509_get0_notAfter(own.certificate))
        else { return nil }
        if now > end { return "By this machine's clock the certificate expired on \(end)." }
        return now < start ? "By this machine's clock the certificate is not valid before \(start)." : nil
    }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
        var parts = tm()
        guard ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(timegm(&parts)))
    }

    // MARK: files

    private static func read(_ setting: Setting) throws(CredentialsFailure) -> OpenSSLObject {
        let bytes = try bytes(of: setting)
        if let found = OpenSSLObject(certificateInPEM: bytes) { return found }
        let text = String(decoding: bytes, as: UTF8.self)
        let hint =
            text.contains("PRIVATE KEY-----")
            ? "It contains a private key: are certificate and key exchanged?"
            : "Convert it: openssl x509 -inform der -in FILE -out FILE.pem"
        throw unusable(setting, "is not a certificate in PEM format. \(hint)")
    }

    private static func readKey(_ setting: Setting) throws(CredentialsFailure) -> OpenSSLObject {
        let bytes = try bytes(of: setting)
        if let found = OpenSSLObject(keyInPEM: bytes) {
            try checkRights(setting)
            return found
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard !text.contains("ENCRYPTED") else {
            throw unusable(
                setting,
                "has a passphrase, which nothing can enter here. Remove it (openssl pkey -in FILE -out FILE.plain), or keep "
                    + "the key in a secure element and give its PKCS#11 URI."
            )
        }
        let hint =
            text.contains("CERTIFICATE-----")
            ? "It contains a certificate: are certificate and key exchanged?"
            : "Convert it: openssl pkey -inform der -in FILE -out FILE.pem"
        throw unusable(setting, "is not a private key in PEM format. \(hint)")
    }

    private static func bytes(of setting: Setting) throws(CredentialsFailure) -> [UInt8] {
        let path = setting.value
        do throws(ConfigurationFailure) {
            if let bytes = try SmallFile.bytes(of: path, limit: limit) { return bytes }
        } catch {
            // The error shows the path.
            let hidden = unusable(setting, "is not a file that can be read, or is too long.").message
            throw CredentialsFailure(setting.mayBeShown ? "\(setting.name): \(error.message)" : hidden, of: error)
        }
        throw unusable(setting, "does not exist.")
    }

    /// Anyone who can read the key can act as the device. A group may read it: services of other users share it that way.
    private static func checkRights(_ setting: Setting) throws(CredentialsFailure) {
        guard let status = status(of: setting.value), status.mode & 0o006 != 0 else { return }
        let path = setting.mayBeShown ? FileRights.quoted(setting.value).sanitized(limit: 256) : "FILE"
        throw unusable(
            setting,
            "can be read or written by all users (mode \(status.modeText)), who could then act as this device. "
                + "Run: chmod o-rwx \(path)"
        )
    }

    /// The status of a file, through symbolic links.
    private static func status(of path: String) -> FileStatus? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return FileStatus(descriptor: file)
    }

    private static func unusable(_ setting: Setting, _ reason: String) -> CredentialsFailure {
        CredentialsFailure("\(setting.name): \(setting.shown()) \(reason)")
    }
}

extension IoTSettings.Setting {
    /// Whether this contains a PKCS#11 URI without being one.
    fileprivate var isMisspelledToken: Bool {
        !ClientCertificate.isToken(value) && value.lowercased().contains("pkcs11:")
    }
}
