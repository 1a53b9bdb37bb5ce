//
//  AppDelegate.swift
//  MuseumGuide
//

// swift-format-ignore-file

import UIKit
import AWSCore
import AWSCognito
import AWSKinesis

@UIApplicationMain
class AppDelegate: UIResponder, UIApplicationDelegate {

    var window: UIWindow?
    var tour: Tour?

    func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplicationLaunchOptionsKey: Any]?) -> Bool {
        AWSDDLog.sharedInstance.logLevel = .warning
        AWSDDLog.add(AWSDDTTYLogger.sharedInstance)
        let credentialsProvider = configureAWS()
        EventLogger.shared.start()

        credentialsProvider.getIdentityId().continueWith(executor: AWSExecutor.mainThread(), block: { (task: AWSTask<NSString>) -> Any? in
            if let error = task.error as? NSError {
                print("No identity: \(error.domain) \(error.code)")
                return nil
            }
            let identityId = task.result! as String
            print("Signed in as a guest in \(identityId.components(separatedBy: ":")[0])")
            self.tour = Tour(visitor: identityId)
            self.tour?.start()
            return nil
        })
        return true
    }

    private func configureAWS() -> AWSCognitoCredentialsProvider {
        let credentialsProvider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:cd613e30-d8f1-4adf-91b7-584a2265b1f5")
        let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: credentialsProvider)
        configuration?.maxRetryCount = 2
        AWSServiceManager.default().defaultServiceConfiguration = configuration
        AWSKinesisRecorder.register(with: configuration!, forKey: EventLogger.recorderKey)
        return credentialsProvider
    }
}
