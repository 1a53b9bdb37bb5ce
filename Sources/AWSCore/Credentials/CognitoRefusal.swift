import Foundation
import RecorderAWS

/// What to do when Cognito refuses an identity: it may be known from an earlier run, and deleted or merged since.
enum CognitoRefusal {
    /// Makes a call for an identity; one that is refused is dropped, and the call made once more for the next one.
    ///
    /// A second refusal is a fault of the pool's settings.
    static func withOtherIdentityIfRefused<Value>(
        identity: () async throws(CredentialsFailure) -> String,
        drop: (String) -> Void,
        call: (String) async throws(CredentialsFailure) -> Value
    ) async throws(CredentialsFailure) -> Value {
        let id = try await identity()
        do {
            return try await call(id)
        } catch {
            guard isRefusal(error) else { throw error }
            drop(id)
        }
        let other = try await identity()
        do {
            return try await call(other)
        } catch {
            throw isRefusal(error) ? twice(error) : error
        }
    }

    private static func isRefusal(_ failure: CredentialsFailure) -> Bool {
        let codes = ["ResourceNotFoundException", "NotAuthorizedException", "ValidationException"]
        return failure.underlying?.code.map(codes.contains) ?? false
    }

    private static func twice(_ failure: CredentialsFailure) -> CredentialsFailure {
        let message =
            "\(failure.message). A new identity was refused, too: check the identity pool's settings and the roles' "
            + "trust in it."
        return .cognito(.invalidConfiguration, message, underlying: failure)
    }
}

extension CredentialsFailure {
    /// A failure that users see in the provider's own domain.
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
