import Foundation
import RecorderHTTP

/// The calls to a Cognito identity pool: an identity, a token that vouches for it, keys for it.
///
/// They go unsigned. Nothing is kept between calls. Safe to use from any thread.
package final class CognitoClient: Sendable {
    private let poolID: String
    private let caller: AWSServiceCaller
    private let now: @Sendable () -> Date

    /// A client of one pool; the configuration's credentials are not used.
    package init(poolID: String, _ configuration: CallConfiguration) {
        var configuration = configuration
        configuration.credentials = AnonymousCredentials()
        self.poolID = poolID
        caller = AWSServiceCaller(.cognitoIdentity, configuration)
        now = configuration.now
    }

    /// A new identity for a guest, or the one that belongs to the logins: tokens by the name of who issued them.
    package func identityID(logins: [String: String]) async throws(CredentialsFailure) -> String {
        let request = IdentityRequest(IdentityPoolId: poolID, Logins: logins.isEmpty ? nil : logins)
        return try await call("GetId", request, IdentityReply.self, hiding: logins).0.IdentityId
    }

    /// A token for `AssumeRoleWithWebIdentity`, which vouches for the identity; the service may name another one.
    package func openIDToken(
        for identityID: String,
        logins: [String: String]
    ) async throws(CredentialsFailure) -> (identityID: String, token: String) {
        let request = TokenRequest(IdentityId: identityID, Logins: logins.isEmpty ? nil : logins)
        let (reply, _) = try await call("GetOpenIdToken", request, TokenReply.self, hiding: logins)
        return (reply.IdentityId ?? identityID, reply.Token)
    }

    /// Keys for the identity; the service may name another one. `role` is asked for where the pool allows several.
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
        let (reply, response) = try await call(
            "GetCredentialsForIdentity",
            request,
            CredentialsReply.self,
            hiding: logins
        )
        let keys = reply.Credentials
        let credentials = Credentials(
            accessKeyID: keys.AccessKeyId,
            secretAccessKey: keys.SecretKey,
            sessionToken: keys.SessionToken,
            expiration: keys.Expiration.map { response.ownTime(of: Date(timeIntervalSince1970: $0), now: now()) }
        )
        return (reply.IdentityId ?? identityID, credentials)
    }

    private func call<Request: Encodable, Reply: Decodable>(
        _ operation: String,
        _ request: Request,
        _ type: Reply.Type,
        hiding logins: [String: String]
    ) async throws(CredentialsFailure) -> (Reply, HTTPResponse) {
        let response: HTTPResponse
        do throws(ServiceFailure) {
            response = try await caller.call(operation, body: Self.body(of: request), hiding: Array(logins.values))
        } catch {
            throw failure(operation, error)
        }
        do {
            return (try JSONDecoder().decode(type, from: Data(response.body)), response)
        } catch {
            // The decoder's error may quote the answer, which holds keys, so it is not passed on.
            let message = "The answer is not the JSON that it should be (\(response.body.count) bytes)."
            throw failure(operation, ServiceFailure(.unreadable, message: message, status: response.status))
        }
    }

    private func failure(_ operation: String, _ underlying: ServiceFailure) -> CredentialsFailure {
        CredentialsFailure(
            "Cognito identity pool \(Legible.text(poolID, limit: 128)), \(operation): \(underlying)",
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

// The names on the wire.

private struct IdentityRequest: Encodable {
    let IdentityPoolId: String
    let Logins: [String: String]?
}

private struct IdentityReply: Decodable {
    let IdentityId: String
}

private struct TokenRequest: Encodable {
    let IdentityId: String
    let Logins: [String: String]?
}

private struct TokenReply: Decodable {
    let IdentityId: String?
    let Token: String
}

private struct CredentialsRequest: Encodable {
    let CustomRoleArn: String?
    let IdentityId: String
    let Logins: [String: String]?
}

private struct CredentialsReply: Decodable {
    let IdentityId: String?
    let Credentials: Keys

    struct Keys: Decodable {
        let AccessKeyId: String
        let SecretKey: String
        let SessionToken: String?
        let Expiration: Double?
    }
}
