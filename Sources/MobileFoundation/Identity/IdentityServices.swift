import Foundation
import RecorderAWS
import RecorderConfiguration
import RecorderHTTP

/// The services behind an identity, Cognito and STS, with the settings for calls to them.
struct IdentityServices: Sendable {
    private let configuration: AWSServiceConfiguration?
    private let environment: [String: String]

    /// The services of a region, or those that the configuration names.
    init(
        region: AWSRegionType,
        configuration: AWSServiceConfiguration? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.configuration =
            configuration ?? AWSServiceConfiguration(region: region, credentialsProvider: Self.anonymous)
        self.environment = environment
    }

    /// The services of a provider that was created without a pool: every call fails.
    static let none = IdentityServices()

    private init() {
        configuration = nil
        environment = [:]
    }

    /// A client for a pool.
    func client(poolID: String) -> Result<CognitoClient, CredentialsFailure> {
        callConfiguration(for: .cognitoIdentity).map { CognitoClient(poolID: poolID, $0) }
    }

    /// The keys of a role, in exchange for a token.
    func assumeRole(_ role: RoleSession, token: String) async throws(CredentialsFailure) -> Credentials {
        let call = try callConfiguration(for: .sts).get()
        let service = SecurityTokenService(region: call.region, endpoint: call.endpoint, transport: call.transport)
        return try await service.assumeRoleWithWebIdentity(role, token: token)
    }

    /// The address of Cognito; empty if the configuration cannot be used.
    var address: String {
        (try? callConfiguration(for: .cognitoIdentity).get())?.endpoint.url ?? ""
    }

    /// The settings for calls to a service. Calls to Cognito and STS are not signed.
    private func callConfiguration(for service: AWSService) -> Result<CallConfiguration, CredentialsFailure> {
        guard let configuration else { return .failure(.cognito(.invalidConfiguration, Self.noPool)) }
        do throws(ConfigurationFailure) {
            var call = try configuration.callConfiguration(for: service, environment: environment)
            // A request is waiting for these keys.
            if call.timeouts.total == nil { call.timeouts.total = .seconds(120) }
            return .success(call)
        } catch {
            return .failure(.cognito(.invalidConfiguration, error.message))
        }
    }

    private static let noPool =
        "There is no identity pool, because the object was created by init(): use an initializer with identityPoolId."

    private static let anonymous = AWSAnonymousCredentialsProvider()
}

/// Decides whether to repeat a call with a new identity. Cognito refuses an identity of an earlier run if it was deleted or
/// merged since.
struct IdentityRetry {
    private var refusals = 0

    /// Returns if Cognito refused the identity for the first time: discard it and repeat the call. Throws otherwise; a
    /// second refusal is caused by the pool's settings.
    mutating func checkFirstRefusal(_ failure: CredentialsFailure) throws(CredentialsFailure) {
        guard isRefusal(failure) else { throw failure }
        refusals += 1
        guard refusals > 1 else { return }
        let message =
            "\(failure.message). A new identity was refused, too: check the identity pool's settings and the roles' "
            + "trust in it."
        throw .cognito(.invalidConfiguration, message, underlying: failure)
    }

    private func isRefusal(_ failure: CredentialsFailure) -> Bool {
        let codes = ["ResourceNotFoundException", "NotAuthorizedException", "ValidationException"]
        return failure.underlying?.code.map(codes.contains) ?? false
    }
}

extension CredentialsFailure {
    /// A failure with an error of the provider's own domain as its cause.
    static func cognito(
        _ code: AWSCognitoCredentialsProviderErrorType,
        _ message: String,
        underlying: CredentialsFailure? = nil
    ) -> CredentialsFailure {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: message]
        userInfo[NSUnderlyingErrorKey] = underlying?.nsError(.cognitoIdentity)
        let domain = AWSCognitoCredentialsProviderErrorDomain
        let cause = NSError(domain: domain, code: code.rawValue, userInfo: userInfo)
        return CredentialsFailure(message, underlying: underlying?.underlying, cause: cause)
    }
}
