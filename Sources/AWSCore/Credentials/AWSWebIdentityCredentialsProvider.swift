public import Foundation
package import RecorderAWS

/// Gives the temporary keys of a role, for the token of an identity provider that the role trusts.
///
/// They come from STS (AssumeRoleWithWebIdentity, unsigned) and are renewed when less than ten minutes of their life are
/// left; callers at the same time share one request. Where `AWS_ENDPOINT_URL_STS` or `AWS_ENDPOINT_URL` is set when the
/// provider is made, STS is asked there. Unlike the original's, the keys are not kept on disk. Safe to use from any thread.
public final class AWSWebIdentityCredentialsProvider: NSObject, CredentialsSourceProvider, Sendable {
    /// The name of who issued the token; it has no effect, since the token says it, too.
    public let providerId: String

    /// The role's ARN.
    public var roleArn: String { source.role.roleARN }

    /// The name that the account's logs show.
    public var roleSessionName: String { source.role.name }

    /// The token.
    public var webIdentityToken: String { source.token }

    private let source: WebIdentitySource

    /// A provider of a role's keys.
    ///
    /// - Parameters:
    ///   - regionType: The region whose STS is asked.
    ///   - providerId: The name of who issued the token; it has no effect.
    ///   - roleArn: The role's ARN.
    ///   - roleSessionName: The name that the account's logs show; nil or empty for one of this package's.
    ///   - webIdentityToken: The token.
    public convenience init(
        regionType: AWSRegionType,
        providerId: String?,
        roleArn: String,
        roleSessionName: String?,
        webIdentityToken: String
    ) {
        self.init(
            regionType: regionType,
            providerId: providerId,
            roleArn: roleArn,
            roleSessionName: roleSessionName,
            webIdentityToken: webIdentityToken,
            environment: ProcessInfo.processInfo.environment
        )
    }

    /// The same in an environment of the caller's choice.
    package init(
        regionType: AWSRegionType,
        providerId: String? = nil,
        roleArn: String,
        roleSessionName: String?,
        webIdentityToken: String,
        environment: [String: String]
    ) {
        self.providerId = providerId ?? ""
        let name = roleSessionName.flatMap { $0.isEmpty ? nil : $0 }
        let role = RoleSession(roleARN: roleArn, name: name)
        let place = CognitoPlace(regionType, environment: environment)
        source = WebIdentitySource(role, token: webIdentityToken, place)
    }

    /// Keys that are valid now: those at hand, else new ones.
    ///
    /// Faults with the error of STS, or with one of `NSURLErrorDomain` where there was no answer.
    public func credentials() -> AWSTask<AWSCredentials> {
        source.credentialsTask()
    }

    /// Forgets the keys.
    public func invalidateCachedTemporaryCredentials() {
        source.invalidate()
    }

    package var credentialsSource: any CredentialsSource { source }
}

extension AWSWebIdentityCredentialsProvider: CustomReflectable {
    /// Empty, so that `dump` shows no token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The keys for one token.
private final class WebIdentitySource: CredentialsSource {
    let role: RoleSession
    let token: String
    private let cache: CredentialsCache

    init(_ role: RoleSession, token: String, _ place: CognitoPlace) {
        self.role = role
        self.token = token
        cache = CredentialsCache(WebIdentityFetcher(role: role, token: token, place: place))
    }

    func credentials() async throws(CredentialsFailure) -> Credentials? {
        try await cache.credentials()
    }

    func invalidate() {
        cache.invalidate()
    }
}

private struct WebIdentityFetcher: CredentialsFetcher {
    let role: RoleSession
    let token: String
    let place: CognitoPlace

    func fetch() async throws(CredentialsFailure) -> Credentials {
        try await place.assume(role, token: token)
    }
}
