import Foundation
import RecorderTestSupport
import Testing

/// Compiles an old program that derives from each open class, against the modules of this build.
@Suite(.timeLimit(.minutes(10))) struct SubclassWarningTests {
    @Test(arguments: ["4", "5"])
    func `deriving from each open class gives no warning in older language modes`(mode: String) async throws {
        #expect(try await SwiftCheck.diagnostics(ofText: Self.program, mode: mode) == "")
    }

    @Test func `in Swift 6 mode the same classes are Sendable, and a subclass states that`() async throws {
        let classes = [
            "AWSCredentials", "AWSStaticCredentialsProvider", "AWSCognitoCredentialsProvider",
            "AWSServiceConfiguration",
            "AWSNetworkingConfiguration", "AWSDDFileLogger",
        ]
        let uses = classes.map {
            "func f(_ it: \($0)) { send(it) }\nfinal class My\($0): \($0), @unchecked Sendable {}"
        }
        let helpers = [
            "AWSCognitoCredentialsProviderHelper", "AWSAbstractCognitoCredentialsProviderHelper", "AWSDDAbstractLogger",
        ]
        let declarations = helpers.map {
            "final class My\($0): \($0), @unchecked Sendable {}\nfunc f(_ it: My\($0)) { send(it) }"
        }
        let lines = ["import AWSKinesis", "func send<T: Sendable>(_ value: T) {}"] + uses + declarations
        #expect(try await SwiftCheck.diagnostics(ofText: lines.joined(separator: "\n"), mode: "6") == "")
    }

    @Test func `a warning is found`() async throws {
        let program = "import AWSKinesis\nfunc f() { var unused = AWSInfo() }\n"
        #expect(try await SwiftCheck.diagnostics(ofText: program, mode: "5").contains("never used"))
    }

    private static let program = """
        import AWSKinesis

        class MyCredentials: AWSCredentials {
            var note = ""
            override var accessKey: String { "mine" }
            override var expiration: Date? { nil }
        }
        class MyStaticProvider: AWSStaticCredentialsProvider {
            var calls = 0
            override init(accessKey: String, secretKey: String) {
                super.init(accessKey: accessKey, secretKey: secretKey)
            }
            override func credentials() -> AWSTask<AWSCredentials> {
                calls += 1
                return super.credentials()
            }
        }
        class MyProvider: AWSCognitoCredentialsProvider {
            var calls = 0
            override var identityId: String? { "us-east-1:me" }
            override func credentials() -> AWSTask<AWSCredentials> { super.credentials() }
            override func getIdentityId() -> AWSTask<NSString> { super.getIdentityId() }
            override func clearCredentials() { super.clearCredentials() }
            override func invalidateCachedTemporaryCredentials() { calls += 1 }
        }
        class MyOtherProvider: AWSCognitoCredentialsProvider {
            var name: String
            init(name: String) {
                self.name = name
                super.init(regionType: .USEast1, identityPoolId: "pool", identityProviderManager: nil)
            }
            override init(regionType: AWSRegionType, identityPoolId: String) {
                name = identityPoolId
                super.init(regionType: regionType, identityPoolId: identityPoolId)
            }
        }
        class MyConfiguration: AWSServiceConfiguration {
            var note = ""
            override var regionType: AWSRegionType { .USWest2 }
            override var credentialsProvider: AWSCredentialsProvider! { nil }
            override func copy(with zone: NSZone? = nil) -> Any { self }
        }
        class MySettings: AWSNetworkingConfiguration { var note = "" }
        class MyHelper: AWSCognitoCredentialsProviderHelper {
            var backendToken: String?
            override var identityProviderName: String { "login.example" }
            override func logins() -> AWSTask<NSDictionary> { AWSTask(result: [identityProviderName: "token"]) }
            override func token() -> AWSTask<NSString> {
                let source = AWSTaskCompletionSource<NSString>()
                DispatchQueue.global().async {
                    self.identityId = "us-east-1:me"
                    self.backendToken = "token"
                    source.set(result: "token")
                }
                return source.task
            }
        }
        class MyAbstractHelper: AWSAbstractCognitoCredentialsProviderHelper {
            var note = ""
            override var identityPoolId: String { "pool" }
        }
        class MyLogger: AWSDDAbstractLogger {
            var lines: [String] = []
            override func log(message logMessage: AWSDDLogMessage) { lines.append(logMessage.message) }
        }
        class MyFileLogger: AWSDDFileLogger { var note = "" }
        class MyModel: AWSModel { var note = "" }
        class MyRequest: AWSRequest { var note = "" }

        func use() {
            let helper = MyHelper(
                regionType: .USEast1, identityPoolId: "pool", useEnhancedFlow: true, identityProviderManager: nil)
            let provider = MyProvider(regionType: .USEast1, identityProvider: helper)
            let configuration = MyConfiguration(region: .USEast1, credentialsProvider: provider)
            AWSServiceManager.default().defaultServiceConfiguration = configuration
            print(MyProvider(), MyOtherProvider(name: "x"), MyHelper(), MyAbstractHelper(), MyConfiguration() as Any)
            print(MyStaticProvider(accessKey: "a", secretKey: "b"), MyCredentials(), AWSInfo(), MySettings())
            print(MyLogger(), MyFileLogger(), MyModel.emptyModel(), MyRequest.emptyModel())
        }
        """
}
