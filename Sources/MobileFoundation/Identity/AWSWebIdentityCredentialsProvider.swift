public import AWSTasks
public import Foundation
package import RecorderAWS
public import RecorderConfiguration

/// Provides the temporary keys of a role, in exchange for a token of an identity provider that the role trusts.
///
/// They come from STS (AssumeRoleWithWebIdentity, unsigned) and are renewed less than ten minutes before they expire.
/// Concurrent callers share one request. If `AWS_ENDPOINT_URL_STS` or `AWS_ENDPOINT_URL` is set when the provider is
/// created, requests go there. Unlike in the AWS SDK, the keys are not stored on disk. Safe to use from any thread.
public final class AWSWebIdentityCredentialsProvider: NSObject, CredentialsSourceProvider, Sendable {
    /// The name of the token's issuer. It has no effect, because the token contains it.
    public let providerId: String

    /// The role's ARN.
    public var roleArn: String { request.role.roleARN }

    /// The name of the session in the account's logs.
    public var roleSessionName: String { request.role.name }

    /// The token.
    public var webIdentityToken: String { request.token }

    private let request: WebIdentityRequest
    private let cache: CredentialsCache

    /// Provides a role's keys.
    ///
    /// - Parameters:
    ///   - regionType: The region of the STS endpoint.
    ///   - providerId: The name of the token's issuer. It has no effect.
    ///   - roleArn: The role's ARN.
    ///   - roleSessionName: The name of the session in the account's logs. If nil or empty, a name is generated.
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

    /// The same with custom environment variables.
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
        let services = IdentityServices(region: regionType, environment: environment)
        request = WebIdentityRequest(services: services, role: role, token: webIdentityToken)
        cache = CredentialsCache(request)
    }

    /// Keys that are valid now: cached ones, otherwise new ones.
    ///
    /// Faults with the error of STS, or with an error of `NSURLErrorDomain` if there was no response.
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

extension AWSWebIdentityCredentialsProvider: CustomReflectable {
    /// Empty, so that `dump` shows no token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Exchanges a token for a role's keys.
private struct WebIdentityRequest: CredentialsFetcher {
    let services: IdentityServices
    let role: RoleSession
    let token: String

    func fetch() async throws(CredentialsFailure) -> Credentials {
        try await services.assumeRole(role, token: token)
    }
}
