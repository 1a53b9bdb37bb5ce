import Foundation
import RecorderAWS
import RecorderHTTP

/// Where a pool is asked, and with which settings.
struct CognitoPlace: Sendable {
    private let configuration: AWSServiceConfiguration
    private let environment: [String: String]

    /// The usual place for a region, or what the configuration says.
    init(
        _ regionType: AWSRegionType,
        _ configuration: AWSServiceConfiguration? = nil,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.configuration =
            configuration ?? AWSServiceConfiguration(region: regionType, credentialsProvider: Self.nobody)
        self.environment = environment
    }

    /// A client of a pool.
    func client(poolID: String) -> Result<CognitoClient, CredentialsFailure> {
        call(.cognitoIdentity).map { CognitoClient(poolID: poolID, $0) }
    }

    /// The settings for a call to Cognito or STS, which both go unsigned.
    func call(_ service: AWSService) -> Result<CallConfiguration, CredentialsFailure> {
        do throws(ConfigurationFailure) {
            var call = try configuration.callConfiguration(for: service, environment: environment)
            // Somebody waits for these keys with a request in hand.
            if call.timeouts.total == nil { call.timeouts.total = .seconds(120) }
            return .success(call)
        } catch {
            return .failure(.cognito(.invalidConfiguration, error.message))
        }
    }

    /// Keys of a role, for a token.
    func assume(_ role: RoleSession, token: String) async throws(CredentialsFailure) -> Credentials {
        let call = try call(.sts).get()
        let service = SecurityTokenService(region: call.region, endpoint: call.endpoint, transport: call.transport)
        return try await service.assumeRoleWithWebIdentity(role, token: token)
    }

    /// Tells places apart.
    var address: String {
        (try? call(.cognitoIdentity).get())?.endpoint.url ?? ""
    }

    private static let nobody = AWSAnonymousCredentialsProvider()
}
