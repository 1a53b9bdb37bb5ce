// swift-format-ignore-file
// Written after programs of several SDKs: members that later SDKs removed or moved.
import AWSCognito
import AWSKinesis

/// SDK 2.2: the provider's keys are properties, and `refresh()` gets them.
public func keysByRefresh(_ provider: AWSCognitoCredentialsProvider, completion: @escaping (String?, Date?) -> Void) {
    provider.refresh().continueWith { task in
        completion(provider.accessKey, provider.expiration)
        return nil
    }
}

/// The recorder's configuration, read back.
public func regionOf(_ recorder: AWSKinesisRecorder) -> AWSRegionType {
    return recorder.configuration.regionType
}

/// Versions for a report of a fault.
public func versions() -> [String] {
    return [AWSiOSSDKVersion, AWSKinesisSDKVersion]
}

/// An empty helper that is configured by its overrides.
public class EmptyHelper: AWSCognitoCredentialsProviderHelper {
    public override init() {
        super.init()
    }

    public override var identityPoolId: String { return "us-east-1:pool" }
}

/// A source that is cancelled by the older name.
public func cancelled() -> AWSTask<AnyObject> {
    let source = AWSTaskCompletionSource<AnyObject>()
    source.setCancelled()
    return source.task
}

/// Logins by the enumeration of SDK 2.3 and earlier.
public final class EnumeratedProvider: NSObject, AWSIdentityProviderManager {
    let token: String

    public init(token: String) {
        self.token = token
    }

    public func logins() -> AWSTask<NSDictionary> {
        return AWSTask(result: [AWSCognitoLoginProviderKey.facebook: token])
    }
}

/// The same by its raw value, in the spelling of Swift 2.
public let facebookKey = AWSCognitoLoginProviderKey.Facebook.rawValue
