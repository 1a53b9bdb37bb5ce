import Foundation
import RecorderAWS

/// The logins that the user's code gives.
final class LoginsManager: @unchecked Sendable {
    // Safe because the reference never changes, and the protocol demands members that any thread may use.
    let given: any AWSIdentityProviderManager

    init(_ manager: any AWSIdentityProviderManager) {
        given = manager
    }

    /// The role to ask for; nil where the pool is to choose.
    var customRole: String? {
        let role = given.customRoleArn
        return role.isEmpty ? nil : role
    }

    func logins() async throws(CredentialsFailure) -> [String: String] {
        let answer = try await UserTask.result(asking: "The identity provider manager") { self.given.logins() }
        guard let answer else { return [:] }
        guard let logins = answer as? [String: String] else {
            throw CredentialsFailure("The identity provider manager's logins are not strings by strings.")
        }
        return logins
    }
}
