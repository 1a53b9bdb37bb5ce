public import Foundation

/// Posted when a Cognito identity gets an id, its first or another one: the Swift 2 name.
public let AWSCognitoIdentityIdChangedNotification =
    "com.amazonaws.services.cognitoidentity.AWSCognitoIdentityIdChangedNotification"

/// The key of the id before, a `String`, in the notification's `userInfo`; absent where there was none.
public let AWSCognitoNotificationPreviousId = "PREVID"

/// The key of the new id, a `String`, in the notification's `userInfo`.
public let AWSCognitoNotificationNewId = "NEWID"

extension NSNotification.Name {
    /// Posted when a Cognito identity gets an id, its first or another one; not when it is cleared.
    ///
    /// The sender is the helper, which is the credentials provider's `identityProvider`. Posted in the order of the
    /// changes, on a background thread, after the change.
    public static let AWSCognitoIdentityIdChanged = NSNotification.Name(AWSCognitoIdentityIdChangedNotification)
}

/// Posts one notification after the other, away from whoever changed the id.
enum CognitoIdentityNotification {
    private static let queue = DispatchQueue(label: "AWSCognitoIdentityIdChanged")

    static func post(from sender: AWSAbstractCognitoCredentialsProviderHelper, previous: String?, new: String) {
        queue.async {
            var userInfo = [AWSCognitoNotificationNewId: new]
            userInfo[AWSCognitoNotificationPreviousId] = previous
            NotificationCenter.default.post(name: .AWSCognitoIdentityIdChanged, object: sender, userInfo: userInfo)
        }
    }
}
