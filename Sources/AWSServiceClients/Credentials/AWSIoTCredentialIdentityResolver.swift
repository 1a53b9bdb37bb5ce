import Foundation
package import RecorderAWS

/// The temporary keys of a device that has an X.509 certificate, from AWS IoT's credentials provider.
///
/// The device identifies itself by the certificate in the TLS handshake. The keys are those of the role that the role alias
/// names. They are cached and renewed at half their lifetime; while the endpoint is down or refuses the certificate, the old
/// ones are used until they expire. So share one resolver instead of creating one for each client.
public struct AWSIoTCredentialIdentityResolver: AWSCredentialIdentityResolver {
    private let source: CredentialsCache

    /// Creates a resolver. Nothing is checked until keys are needed; then an ``AWSClientError`` says what is wrong.
    ///
    /// - Parameters:
    ///   - endpoint: The host of the credentials provider: what `aws iot describe-endpoint --endpoint-type
    ///     iot:CredentialProvider` prints.
    ///   - roleAlias: The name of the role alias.
    ///   - thingName: The name of the thing that the certificate is attached to; nil if the role's policy uses no variables
    ///     of the thing.
    ///   - certificate: The path of the certificate in PEM format, or a PKCS#11 URI.
    ///   - privateKey: The path of its private key in PEM format without a passphrase, which other users must not be able to
    ///     read; or a PKCS#11 URI, which needs OpenSSL's engine or provider for PKCS#11.
    ///   - certificateAuthorities: The path of a PEM file with the only authorities to trust for the endpoint; nil for
    ///     those in `AWS_CA_BUNDLE`, or else the system's.
    public init(
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
        let context = CredentialsContext(environment: [:])
        source = context.cache(IoTCredentials(settings, in: context))
    }

    /// The device's keys.
    public func getIdentity(identityProperties: Attributes?) async throws -> AWSCredentialIdentity {
        do throws(CredentialsFailure) {
            return AWSCredentialIdentity(try await source.current())
        } catch {
            throw ServiceFailure(error).clientError
        }
    }
}

extension AWSIoTCredentialIdentityResolver: CredentialsSource {
    package func credentials() async throws(CredentialsFailure) -> Credentials? { try await source.credentials() }

    package func invalidate() { source.invalidate() }
}
