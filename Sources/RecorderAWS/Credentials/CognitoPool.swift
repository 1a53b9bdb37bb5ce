import Foundation
import RecorderConcurrency
import RecorderHTTP

/// The two calls of the enhanced flow, and the identity's id between them.
final class CognitoPool: Sendable {
    private let poolID: String
    private let logins: [String: String]
    private let caller: AWSCaller
    private let now: @Sendable () -> Date
    private let knownID: Locked<String?>
    private let flight = SingleFlight<String>()

    init(
        poolID: String,
        logins: [String: String],
        identityID: String?,
        caller: AWSCaller,
        now: @escaping @Sendable () -> Date
    ) {
        self.poolID = poolID
        self.logins = logins
        self.caller = caller
        self.now = now
        knownID = Locked(identityID)
    }

    func identityID() async throws(CredentialsFailure) -> String {
        if let known = knownID.withLock({ $0 }) { return known }
        return try await flight.value { () throws(CredentialsFailure) in try await self.fetchID() }
    }

    /// New keys. An identity that the service refuses is dropped, and the pair of calls made once more.
    func freshCredentials() async throws(CredentialsFailure) -> Credentials {
        let id = try await identityID()
        do {
            return try await fetchCredentials(for: id)
        } catch {
            let refusals = ["ResourceNotFoundException", "NotAuthorizedException"]
            guard let code = error.underlying?.code, refusals.contains(code) else { throw error }
        }
        knownID.withLock { if $0 == id { $0 = nil } }
        return try await fetchCredentials(for: try await identityID())
    }

    private func fetchID() async throws(CredentialsFailure) -> String {
        if let known = knownID.withLock({ $0 }) { return known }
        let request = IdentityRequest(IdentityPoolId: poolID, Logins: logins.isEmpty ? nil : logins)
        let (reply, _) = try await call("GetId", request, IdentityReply.self)
        knownID.withLock { $0 = reply.IdentityId }
        return reply.IdentityId
    }

    private func fetchCredentials(for id: String) async throws(CredentialsFailure) -> Credentials {
        let request = CredentialsRequest(IdentityId: id, Logins: logins.isEmpty ? nil : logins)
        let (reply, response) = try await call("GetCredentialsForIdentity", request, CredentialsReply.self)
        if let newID = reply.IdentityId { knownID.withLock { $0 = newID } }
        let keys = reply.Credentials
        return Credentials(
            accessKeyID: keys.AccessKeyId,
            secretAccessKey: keys.SecretKey,
            sessionToken: keys.SessionToken,
            expiration: keys.Expiration.map { response.ownTime(of: Date(timeIntervalSince1970: $0), now: now()) }
        )
    }

    private func call<Request: Encodable, Reply: Decodable>(
        _ operation: String,
        _ request: Request,
        _ type: Reply.Type
    ) async throws(CredentialsFailure) -> (Reply, HTTPResponse) {
        let response: HTTPResponse
        do throws(ServiceFailure) {
            response = try await caller.call(operation, body: Self.body(of: request))
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

private struct CredentialsRequest: Encodable {
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
