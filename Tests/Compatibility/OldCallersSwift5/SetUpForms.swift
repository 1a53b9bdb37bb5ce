// swift-format-ignore-file
// Written after programs of Swift 3 to 5 and SDK 2.5 and later: how they set up the SDK.
import AWSCognito
import AWSCore
import AWSFirehose
import AWSKinesis

/// An application delegate with a guest's Cognito credentials, as in the developer guide.
public final class GuestDelegate {
    public let credentialsProvider: AWSCognitoCredentialsProvider

    public init(identityPoolId: String) {
        credentialsProvider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: identityPoolId)
        let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: credentialsProvider)
        AWSServiceManager.default().defaultServiceConfiguration = configuration
    }

    public func identity(completion: @escaping (String?) -> Void) {
        credentialsProvider.getIdentityId().continueWith(block: { (task) -> AnyObject? in
            if task.error != nil {
                print("Error: \(task.error!)")
            }
            let cognitoId = task.result
            completion(cognitoId as String?)
            return task
        })
    }

    public func logOut() {
        credentialsProvider.clearKeychain()
        credentialsProvider.clearCredentials()
    }
}

/// A configuration whose optional is unwrapped first, with timeouts and retries.
public func tunedConfiguration() -> AWSServiceConfiguration? {
    guard let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil) else { return nil }
    configuration.timeoutIntervalForRequest = 5
    configuration.timeoutIntervalForResource = 20
    configuration.maxRetryCount = 1
    configuration.allowsCellularAccess = false
    return configuration
}

/// A configuration for a local service, with an endpoint.
public func localConfiguration(url: URL) -> AWSServiceConfiguration {
    let endpoint = AWSEndpoint(region: .USEast1, serviceName: "kinesis", url: url)
    let provider = AWSStaticCredentialsProvider(accessKey: "local", secretKey: "local")
    return AWSServiceConfiguration(region: .USEast1, endpoint: endpoint, credentialsProvider: provider)
}

/// Several recorders under several keys, found again elsewhere.
public struct RecorderKeys {
    public static func register(_ keys: [String]) {
        let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil)!
        for key in keys {
            AWSKinesisRecorder.register(with: configuration, forKey: key)
        }
    }

    public static func recorder(_ key: String) -> AWSKinesisRecorder? {
        return AWSKinesisRecorder(forKey: key)
    }
}

/// The configuration in `awsconfiguration.json`, given as a dictionary, as Amplify's set-up code does.
public struct InfoSetUp {
    public static func configure(poolId: String) {
        AWSInfo.configureDefaultAWSInfo([
            "CredentialsProvider": ["CognitoIdentity": ["Default": ["PoolId": poolId, "Region": "us-east-1"]]],
            "FirehoseRecorder": ["Default": ["Region": "us-east-1"]],
            "KinesisRecorder": ["Default": ["Region": "us-east-1"]]
        ])
    }

    public static func poolRegion() -> AWSRegionType {
        guard let info = AWSInfo.default().defaultServiceInfo("KinesisRecorder") else { return .Unknown }
        return info.region
    }

    public static func poolId() -> String? {
        return AWSInfo.default().defaultServiceInfo("FirehoseRecorder")?.cognitoCredentialsProvider.identityPoolId
    }
}

/// A user agent with the application's name, as Mobile Hub added it.
public func configurationWithUserAgent(_ name: String) -> AWSServiceConfiguration! {
    AWSServiceConfiguration.addGlobalUserAgentProductToken("aws-amplify")
    let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil)
    configuration?.addUserAgentProductToken(name)
    return configuration
}

/// A region that comes from a setting.
public func region(named name: String) -> AWSRegionType {
    let types: [String: AWSRegionType] = ["us-east-1": .USEast1, "us-west-2": .USWest2, "eu-west-1": .EUWest1]
    return types[name] ?? name.aws_regionTypeValue()
}

/// Session credentials that a backend handed out, as JSON.
public func sessionProvider(json: Data) throws -> AWSBasicSessionCredentialsProvider {
    struct Keys: Decodable { let accessKey, secretKey, token: String }
    let keys = try JSONDecoder().decode(Keys.self, from: json)
    return AWSBasicSessionCredentialsProvider(accessKey: keys.accessKey, secretKey: keys.secretKey, sessionToken: keys.token)
}
