import AWSCore
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

@Suite(.serialized) struct AWSServiceManagerTests {
    private let manager = AWSServiceManager()
    private let provider = AWSStaticCredentialsProvider(accessKey: "id", secretKey: Canary.secret)

    @Test func `there is one shared manager`() {
        #expect(AWSServiceManager.default() === AWSServiceManager.default())
    }

    /// In a new process, because warnings are per process.
    @Test func `a second default configuration is ignored, with one warning`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let manager = AWSServiceManager()
            let provider = AWSStaticCredentialsProvider(accessKey: "id", secretKey: Canary.secret)
            for region in [AWSRegionType.USEast1, .EUWest1] {
                let configuration = AWSServiceConfiguration(region: region, credentialsProvider: provider)
                manager.defaultServiceConfiguration = configuration
            }
            #expect(manager.defaultServiceConfiguration.regionType == .USEast1)
        }
        let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let warnings = said.split(separator: "\n").filter { $0.contains("defaultServiceConfiguration") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("recorder: warning: ") == true)
    }

    @Test func `the default configuration is a copy`() throws {
        let given = try #require(AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider))
        manager.defaultServiceConfiguration = given
        given.maxRetryCount = 9
        #expect(manager.defaultServiceConfiguration !== given)
        #expect(manager.defaultServiceConfiguration.maxRetryCount == 3)
    }

    @Test func `setting nil has no effect`() {
        manager.defaultServiceConfiguration = nil
        manager.defaultServiceConfiguration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider)
        manager.defaultServiceConfiguration = nil
        #expect(manager.defaultServiceConfiguration.regionType == .USEast1)
    }

    @Test func `the default configuration comes before the environment`() throws {
        manager.defaultServiceConfiguration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider)
        let found = try AWSServiceConfiguration.resolved(by: manager, environment: ["AWS_REGION": "eu-west-1"])
        #expect(found === manager.defaultServiceConfiguration)
    }

    @Test(arguments: ["AWS_REGION", "AWS_DEFAULT_REGION"])
    func `the environment's region is enough, even one that has no case`(variable: String) throws {
        for (name, type) in [("eu-west-1", AWSRegionType.EUWest1), ("mars-north-1", .Unknown)] {
            let found = try AWSServiceConfiguration.resolved(by: manager, environment: [variable: name])
            #expect(found.regionType == type)
            #expect(try found.callConfiguration(for: .kinesis, environment: [:]).region.name == name)
        }
    }

    @Test func `without any configuration the failure names what to set`() {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try AWSServiceConfiguration.resolved(by: manager, environment: [:])
        }
        for name in ["defaultServiceConfiguration", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
            #expect(failure?.message.contains(name) == true)
        }
    }
}
