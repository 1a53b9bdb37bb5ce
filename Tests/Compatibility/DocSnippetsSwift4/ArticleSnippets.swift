// swift-format-ignore-file
// Published code, unchanged.
import AWSCore
import AWSCognito
import AWSKinesis

// The application delegate of a published article on Firehose with Cognito, unchanged. Its closure `-> Any!` compiles in
// language mode 4 only. The two UIKit types are placeholders, because there is no UIKit on Linux.

class UIApplication {}
struct UIApplicationLaunchOptionsKey: Hashable {}

class AppDelegate {
    var cognitoId: String?

    func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplicationLaunchOptionsKey: Any]?) -> Bool {

        ////
        configureAWSCognito()

        ////

        return true
    }

    func configureAWSCognito() {
        // Settings for AWSCognito
        let credentialsProvider = AWSCognitoCredentialsProvider(regionType: .usEast1, identityPoolId: "us-east-1:00000000-xxxx-0000-0000-xxxxxxxxxxxx")
        let configuration = AWSServiceConfiguration(region:.usEast1, credentialsProvider:credentialsProvider)

        AWSFirehoseRecorder.register(with: configuration, forKey: "FirehoseName")

        AWSServiceManager.default().defaultServiceConfiguration = configuration
        updateIdentifier()
    }

    func updateIdentifier() {
        // Settings for AWSCognito
        let credentialsProvider = AWSCognitoCredentialsProvider(regionType: .usEast1, identityPoolId: "us-east-1:00000000-xxxx-0000-0000-xxxxxxxxxxxx")
        credentialsProvider.getIdentityId().continue({ (task: AWSTask!) -> Any! in
            if (task.error != nil) {
                print("Error: " + task.error!.localizedDescription)
            }
            else {
                // the task result will contain the identity id
                self.cognitoId = task.result as? String
                // print("CognitoId: ")
                // print(task.result as? String)
            }
            return nil
        })
    }
}
