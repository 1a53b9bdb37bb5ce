public import Foundation
package import RecorderAWS
package import RecorderHTTP

/// Gives the temporary keys of an identity in a Cognito identity pool, by the enhanced flow.
///
/// ```swift
/// let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:...")
/// ```
/// The keys are renewed before they end. Unlike the original, which used the keychain, the identity lasts as long as the
/// provider: a new process is a new guest. Where `AWS_ENDPOINT_URL_COGNITO_IDENTITY` or `AWS_ENDPOINT_URL` is set when
/// the provider is made, Cognito is asked there. Safe to use from any thread.
public final class AWSCognitoCredentialsProvider: NSObject, CredentialsSourceProvider, Sendable {
    private let session: CognitoSession

    /// A provider of a guest's keys.
    ///
    /// - Parameters:
    ///   - regionType: The region that the pool is in.
    ///   - identityPoolId: The pool's id, such as `us-east-1:` and a UUID.
    public convenience init(regionType: AWSRegionType, identityPoolId: String) {
        self.init(regionType: regionType, identityPoolId: identityPoolId, identityProviderManager: nil)
    }

    /// A provider of the keys of whoever the manager says is logged in.
    ///
    /// - Parameters:
    ///   - regionType: The region that the pool is in.
    ///   - identityPoolId: The pool's id, such as `us-east-1:` and a UUID.
    ///   - identityProviderManager: Gives the logins; nil for a guest.
    public convenience init(
        regionType: AWSRegionType,
        identityPoolId: String,
        identityProviderManager: (any AWSIdentityProviderManager)?
    ) {
        self.init(
            regionType: regionType,
            identityPoolId: identityPoolId,
            identityProviderManager: identityProviderManager,
            environment: ProcessInfo.processInfo.environment
        )
    }

    /// The same in an environment of the caller's choice.
    package init(
        regionType: AWSRegionType,
        identityPoolId: String,
        identityProviderManager: (any AWSIdentityProviderManager)? = nil,
        environment: [String: String],
        transport: any HTTPTransport = CurlTransport.shared
    ) {
        session = CognitoSession(
            regionType: regionType,
            identityPoolID: identityPoolId,
            manager: identityProviderManager,
            environment: environment,
            transport: transport
        )
    }

    /// The pool's id.
    public var identityPoolId: String { session.identityPoolID }

    /// The identity's id; nil until ``getIdentityId()`` or ``credentials()`` has succeeded.
    public var identityId: String? { session.knownIdentityID }

    /// The identity's id: the known one, else a new one from Cognito.
    ///
    /// Faults with Cognito's error, or with one of `NSURLErrorDomain` where there was no answer.
    public func getIdentityId() -> AWSTask<NSString> {
        let session = session
        return AWSTask {
            do {
                return NSString(string: try await session.identityID())
            } catch let failure as CredentialsFailure {
                throw failure.nsError()
            }
        }
    }

    /// Keys that are valid now: those at hand, else new ones from Cognito.
    ///
    /// Faults with Cognito's error, or with one of `NSURLErrorDomain` where there was no answer.
    public func credentials() -> AWSTask<AWSCredentials> {
        session.credentialsTask()
    }

    /// Forgets the identity and its keys; the next use makes a new one.
    public func clearKeychain() {
        session.clear()
    }

    /// Forgets the keys, not the identity.
    public func clearCredentials() {
        session.invalidate()
    }

    /// Forgets the keys, not the identity.
    public func invalidateCachedTemporaryCredentials() {
        session.invalidate()
    }

    package var credentialsSource: any CredentialsSource { session }
}
