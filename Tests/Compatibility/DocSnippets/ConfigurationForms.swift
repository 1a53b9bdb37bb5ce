// swift-format-ignore-file
// How applications configure the AWS SDK for iOS, in all spellings.
import AWSCognito
import AWSCore
import AWSKinesis

final class FacebookLogin: NSObject, AWSIdentityProviderManager {
    func logins() -> AWSTask<NSDictionary> {
        guard let token = ProcessInfo.processInfo.environment["FACEBOOK_TOKEN"] else {
            return AWSTask(error: NSError(domain: "Login", code: -1, userInfo: [NSLocalizedDescriptionKey: "not logged in"]))
        }
        return AWSTask(result: [AWSIdentityProviderFacebook: token])
    }
}

final class TokensLogin: NSObject, AWSIdentityProviderManager {
    var tokens: [String: String]
    var customRoleArn: String

    init(tokens: [String: String], role: String) {
        self.tokens = tokens
        self.customRoleArn = role
    }

    public func logins() -> AWSTask<NSDictionary> {
        return AWSTask(result: tokens as NSDictionary)
    }
}

final class BackendLogin: AWSCognitoCredentialsProviderHelper {
    override func token() -> AWSTask<NSString> {
        let source = AWSTaskCompletionSource<NSString>()
        DispatchQueue.global().async {
            self.identityId = "us-east-1:11111111-2222-3333-4444-555555555555"
            source.set(result: "token" as NSString)
        }
        return source.task
    }

    override func logins() -> AWSTask<NSDictionary> {
        if isAuthenticated() { return super.logins() }
        return AWSTask(result: nil)
    }
}

final class LineFormatter: NSObject, AWSDDLogFormatter {
    func format(message logMessage: AWSDDLogMessage) -> String? {
        switch logMessage.flag {
        case .error: return "E \(logMessage.message)"
        case .warning: return "W \(logMessage.message)"
        default: return logMessage.level == .off ? nil : logMessage.message
        }
    }
}

final class ConfigurationForms {
    func logging() {
        AWSDDLog.sharedInstance.logLevel = .verbose
        AWSDDLog.add(AWSDDTTYLogger.sharedInstance)
        AWSDDLog.add(AWSDDTTYLogger.sharedInstance!, with: .error)
        AWSDDTTYLogger.sharedInstance.logFormatter = LineFormatter()
        let fileLogger: AWSDDFileLogger = AWSDDFileLogger()
        fileLogger.rollingFrequency = TimeInterval(60 * 60 * 24)
        fileLogger.logFileManager.maximumNumberOfLogFiles = 7
        AWSDDLog.add(fileLogger)
        AWSDDLog.remove(fileLogger)
        AWSDDLogInfo("configured")
        AWSLogger.default().logLevel = .verbose
        AWSLogger.defaultLogger().logLevel = .Verbose
    }

    func cognito() {
        let guest = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:pool")
        let user = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:pool", identityProviderManager: FacebookLogin())
        let classic = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:pool", unauthRoleArn: "arn:aws:iam::1:role/guest", authRoleArn: nil, identityProviderManager: nil)
        let backend = BackendLogin(regionType: .USEast1, identityPoolId: "us-east-1:pool", useEnhancedFlow: true, identityProviderManager: nil)
        let developer = AWSCognitoCredentialsProvider(regionType: .USEast1, identityProvider: backend)
        let both = AWSCognitoCredentialsProvider(regionType: .USEast1, unauthRoleArn: "a", authRoleArn: "b", identityProvider: backend)
        guest.setIdentityProviderManagerOnce(TokensLogin(tokens: [:], role: ""))
        for provider in [guest, user, classic, developer, both] {
            AWSServiceManager.default().defaultServiceConfiguration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider)
            provider.getIdentityId().continueWith(block: { (task) -> AnyObject? in
                if let error = task.error {
                    print("no identity: \(error)")
                } else {
                    print("identity: \(task.result!) \(provider.identityId ?? "") of \(provider.identityPoolId)")
                }
                return task
            })
            provider.credentials().continueOnSuccessWith { task in
                print(task.result?.expiration as Any)
                return nil
            }
            provider.clearCredentials()
            provider.clearKeychain()
        }
        let credentialsProvider = AWSServiceManager.default().defaultServiceConfiguration.credentialsProvider as? AWSCognitoCredentialsProvider
        _ = credentialsProvider?.identityProvider.logins()
    }

    func notifications() {
        NotificationCenter.default.addObserver(forName: NSNotification.Name.AWSCognitoIdentityIdChanged, object: nil, queue: nil) { note in
            print(note.userInfo?[AWSCognitoNotificationPreviousId] as? String ?? "none", note.userInfo?[AWSCognitoNotificationNewId] as? String ?? "none")
        }
    }

    func configurations() {
        let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil)
        configuration?.timeoutIntervalForRequest = 15
        configuration!.maxRetryCount = 5
        let local = AWSServiceConfiguration(region: .USEast1, endpoint: AWSEndpoint(urlString: "http://localhost:4566"), credentialsProvider: AWSAnonymousCredentialsProvider())
        AWSKinesisRecorder.register(with: configuration!, forKey: "USEast1KinesisRecorder")
        AWSFirehoseRecorder.register(with: local, forKey: "local")
        let webIdentity = AWSWebIdentityCredentialsProvider(regionType: .USEast1, providerId: "accounts.google.com", roleArn: "arn:aws:iam::1:role/web", roleSessionName: "session", webIdentityToken: "token")
        _ = webIdentity.credentials()
        if let info = AWSInfo.default().defaultServiceInfo("KinesisRecorder") {
            print(info.region.rawValue, info.cognitoCredentialsProvider.identityPoolId, info.infoDictionary)
        }
    }
}
