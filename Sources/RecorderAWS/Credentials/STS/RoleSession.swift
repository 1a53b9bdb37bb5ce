import Foundation

/// A role to take on, and under which name.
package struct RoleSession: Sendable, Equatable {
    /// The role's ARN.
    package var roleARN: String

    /// The name that the role's user has in the account's logs: 2 to 64 of letters, digits and `+=,.@-_`.
    package var name: String

    /// How long the keys hold; nil for the service's default, one hour.
    package var duration: Duration?

    /// What the role's owner may ask for from strangers, by AssumeRole only.
    package var externalID: String?

    /// A session; without a name it gets one of its own.
    package init(roleARN: String, name: String? = nil, duration: Duration? = nil, externalID: String? = nil) {
        self.roleARN = roleARN
        self.name = name ?? "swift-aws-recorder-\(Int(Date().timeIntervalSince1970))"
        self.duration = duration
        self.externalID = externalID
    }
}
