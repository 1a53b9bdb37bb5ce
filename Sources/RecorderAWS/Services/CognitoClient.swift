import FoundationEssentials
import RecorderHTTP

/// Calls a Cognito identity pool for an identity, for an OpenID token of the identity, and for its credentials.
///
/// Calls are unsigned. Nothing is cached. Safe to use from any thread.
package final class CognitoClient: Sendable {
    private let poolID: String
    private let caller: AWSServiceCaller
    private let now: @Sendable () -> Date

    /// A client for one pool. The configuration's credentials are not used.
    package init(poolID: String, _ configuration: CallConfiguration) {
        var configuration = configuration
        configuration.credentials = AnonymousCredentials()
        self.poolID = poolID
        caller = AWSServiceCaller(.cognitoIdentity, configuration: configuration)
        now = configuration.now
    }

    /// A new identity for a guest, or the identity of the logins, which are tokens by the name of their issuer.
    package func identityID(logins: [String: String]) async throws(CredentialsFailure) -> String {
        let request = IdentityRequest(IdentityPoolId: poolID, Logins: logins.isEmpty ? nil : logins)
        let (body, _) = try await call("GetId", with: request, as: IdentityResponse.self, redacting: logins)
        return body.IdentityId
    }

    /// An OpenID token of the identity, for `AssumeRoleWithWebIdentity`. The service may return another identity.
    package func openIDToken(
        for identityID: String,
        logins: [String: String]
    ) async throws(CredentialsFailure) -> (identityID: String, token: String) {
        let request = TokenRequest(IdentityId: identityID, Logins: logins.isEmpty ? nil : logins)
        let (body, _) = try await call("GetOpenIdToken", with: request, as: TokenResponse.self, redacting: logins)
        return (body.IdentityId ?? identityID, body.Token)
    }

    /// Credentials of the identity. The service may return another identity. `role` selects one of the pool's roles.
    package func credentials(
        for identityID: String,
        logins: [String: String],
        role: String? = nil
    ) async throws(CredentialsFailure) -> (identityID: String, credentials: Credentials) {
        let request = CredentialsRequest(
            CustomRoleArn: role,
            IdentityId: identityID,
            Logins: logins.isEmpty ? nil : logins
        )
        let (body, response) = try await call(
            "GetCredentialsForIdentity",
            with: request,
            as: CredentialsResponse.self,
            redacting: logins
        )
        let keys = body.Credentials
        let credentials = Credentials(
            accessKeyID: keys.AccessKeyId,
            secretAccessKey: keys.SecretKey,
            sessionToken: keys.SessionToken,
            expiration: keys.Expiration.map { response.localTime(of: Date(timeIntervalSince1970: $0), now: now()) }
        )
        return (body.IdentityId ?? identityID, credentials)
    }

    private func call<Request: Encodable, Body: Decodable>(
        _ operation: String,
        with request: Request,
        as type: Body.Type,
        redacting logins: [String: String]
    ) async throws(CredentialsFailure) -> (Body, HTTPResponse) {
        let response: HTTPResponse
        do throws(ServiceFailure) {
            let body = try Self.body(of: request)
            response = try await caller.call(CallRequest(operation, body: body, redacting: Array(logins.values)))
        } catch {
            throw failure(of: operation, error)
        }
        do {
            return (try JSONDecoder().decode(type, from: Data(response.body)), response)
        } catch {
            // The decoder's error may quote the response, which contains keys.
            let message = "The response is not the expected JSON (\(response.body.count) bytes)."
            throw failure(of: operation, ServiceFailure(.unreadable, message: message, status: response.status))
        }
    }

    private func failure(of operation: String, _ underlying: ServiceFailure) -> CredentialsFailure {
        CredentialsFailure(
            "Cognito identity pool \(poolID.sanitized(limit: 128)), \(operation): \(underlying)",
            kind: underlying.kind == .cancelled ? .cancelled : .failed,
            underlying: underlying
        )
    }

    private static func body(of request: some Encodable) throws(ServiceFailure) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return Array(try encoder.encode(request))
        } catch {
            throw ServiceFailure(.other, message: "The request cannot be written as JSON: \(error)")
        }
    }
}

// The property names are the JSON names.

private struct IdentityRequest: Encodable {
    let IdentityPoolId: String
    let Logins: [String: String]?
}

private struct IdentityResponse: Decodable {
    let IdentityId: String
}

private struct TokenRequest: Encodable {
    let IdentityId: String
    let Logins: [String: String]?
}

private struct TokenResponse: Decodable {
    let IdentityId: String?
    let Token: String
}

private struct CredentialsRequest: Encodable {
    let CustomRoleArn: String?
    let IdentityId: String
    let Logins: [String: String]?
}

private struct CredentialsResponse: Decodable {
    let IdentityId: String?
    let Credentials: Keys

    struct Keys: Decodable {
        let AccessKeyId: String
        let SecretKey: String
        let SessionToken: String?
        let Expiration: Double?
    }
}
