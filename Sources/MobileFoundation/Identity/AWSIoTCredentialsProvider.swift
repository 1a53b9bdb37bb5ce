public import AWSTasks
public import Foundation
package import RecorderAWS
public import RecorderConfiguration

/// Provides the temporary keys of a device that has an X.509 certificate, from AWS IoT's credentials provider.
///
/// ```swift
/// let provider = AWSIoTCredentialsProvider(
///     endpoint: "c1example.credentials.iot.eu-west-1.amazonaws.com",
///     roleAlias: "recorder",
///     thingName: "gateway-7",
///     certificate: "/etc/device/certificate.pem",
///     privateKey: "/etc/device/private.pem"
/// )
/// ```
/// The device identifies itself by the certificate in the TLS handshake. The keys are those of the role that the role alias
/// names, and are renewed at half their lifetime; while the endpoint is down or refuses the certificate, the old ones are
/// used until they expire. The files are read for each renewal, so they may be replaced. Concurrent callers share one
/// request. Safe to use from any thread.
public final class AWSIoTCredentialsProvider: NSObject, CredentialsSourceProvider, Sendable {
    private let cache: CredentialsCache

    /// Provides a device's keys. Nothing is checked until the keys are needed; then ``credentials()`` says what is wrong.
    ///
    /// - Parameters:
    ///   - endpoint: The host of the credentials provider: what `aws iot describe-endpoint --endpoint-type
    ///     iot:CredentialProvider` prints.
    ///   - roleAlias: The name of the role alias.
    ///   - thingName: The name of the thing that the certificate is attached to; nil if the role's policy uses no variables
    ///     of the thing.
    ///   - certificate: The path of the certificate in PEM format, or a PKCS#11 URI.
    ///   - privateKey: The path of its private key in PEM format without a passphrase, which other users must not be able to
    ///     read; or a PKCS#11 URI, as in `pkcs11:token=device;object=key?pin-value=1234`. That needs OpenSSL's engine or
    ///     provider for PKCS#11.
    ///   - certificateAuthorities: The path of a PEM file with the only authorities to trust for the endpoint; nil for
    ///     those in `AWS_CA_BUNDLE`, or else the system's.
    public convenience init(
        endpoint: String,
        roleAlias: String,
        thingName: String? = nil,
        certificate: String,
        privateKey: String,
        certificateAuthorities: String? = nil
    ) {
        let settings = IoTSettings(
            endpoint: endpoint,
            roleAlias: roleAlias,
            thingName: thingName,
            certificate: certificate,
            privateKey: privateKey,
            certificateAuthorities: certificateAuthorities
        )
        self.init(settings, in: CredentialsContext(environment: [:]))
    }

    /// The same with a custom clock and transport.
    package init(_ settings: IoTSettings, in context: CredentialsContext) {
        cache = context.cache(IoTCredentials(settings, in: context))
    }

    /// Keys that are valid now: cached ones, otherwise new ones.
    ///
    /// Faults with an error of `NSURLErrorDomain` if the endpoint did not answer or refused the certificate in the handshake,
    /// otherwise of `AWSServiceErrorDomain`. Its description names the setting and the remedy.
    @discardableResult
    public func credentials() -> AWSTask<AWSCredentials> {
        cache.credentialsTask()
    }

    /// Discards the keys.
    public func invalidateCachedTemporaryCredentials() {
        cache.invalidate()
    }

    package var credentialsSource: any CredentialsSource { cache }
}

extension AWSIoTCredentialsProvider: CustomReflectable {
    /// Empty, so that `dump` shows no key and no PIN.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
