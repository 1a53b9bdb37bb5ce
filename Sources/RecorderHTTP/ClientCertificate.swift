/// The certificate with which a client identifies itself in the TLS handshake, and its private key.
///
/// Each is the path of a file in PEM format, or a PKCS#11 URI (`pkcs11:...`) for an object in a secure element, which needs
/// OpenSSL's engine for PKCS#11, or from libcurl 8.12 its provider. A URI can contain a PIN, so descriptions and mirrors show
/// neither.
package struct ClientCertificate: Sendable, Equatable {
    /// The certificate, in a file followed by those of its intermediate authorities.
    package let certificate: String

    /// The certificate's private key, without a passphrase.
    package let privateKey: String

    /// A certificate and its key.
    package init(certificate: String, privateKey: String) {
        self.certificate = certificate
        self.privateKey = privateKey
    }

    /// Whether this is a PKCS#11 URI instead of a path.
    package static func isToken(_ location: String) -> Bool { location.lowercased().hasPrefix("pkcs11:") }

    /// Whether a location may contain a PIN, so that no message may show it: it is a PKCS#11 URI, is meant to be one, or has
    /// an attribute for a PIN.
    package static func mayContainPIN(_ location: String) -> Bool {
        let text = location.lowercased()
        return ["pkcs11:", "pin-value", "pin-source"].contains { text.contains($0) }
    }

    var mayContainPIN: Bool { Self.mayContainPIN(certificate) || Self.mayContainPIN(privateKey) }

    /// The error text for a PKCS#11 URI that leads to no usable object.
    static let unusableToken =
        "OpenSSL cannot use the PKCS#11 key or certificate. Check the URI's token, object and PIN (pkcs11-tool --list-objects), "
        + "and that OpenSSL's engine or provider for PKCS#11 finds the token's module."
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    package var description: String { "ClientCertificate(redacted)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
