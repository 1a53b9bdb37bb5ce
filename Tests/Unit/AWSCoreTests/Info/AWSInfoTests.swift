import AWSCore
import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

@Suite struct AWSInfoTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let published = """
        {
            "UserAgent": "MobileHub/1.0",
            "Version": "1.0",
            "CredentialsProvider": {
                "CognitoIdentity": {
                    "Default": { "PoolId": "us-east-1:pool", "Region": "us-east-1" }
                }
            },
            "Default": { "Region": "eu-west-1" },
            "KinesisRecorder": {
                "Default": { "Region": "us-west-2" },
                "clicks": { "Region": "ap-south-1" }
            }
        }
        """

    private func write(_ text: String, to name: String = "awsconfiguration.json") throws {
        let url = URL(fileURLWithPath: directory.path(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func read(_ environment: [String: String] = [:]) throws(ConfigurationFailure) -> AWSInfo? {
        try AWSInfoFile.read(environment: environment, executableDirectory: directory.path).map { AWSInfo($0) }
    }

    @Test func `a new object reads the file anew`() async throws {
        try write(Self.published)
        await #expect(processExitsWith: .success) { [path = directory.path("awsconfiguration.json") as String] in
            setenv("AWS_KINESIS_RECORDER_CONFIGURATION", path, 1)
            #expect(AWSInfo().defaultServiceInfo("KinesisRecorder")?.region == .USWest2)
            #expect(AWSInfo.default().rootInfoDictionary["Version"] as? String == "1.0")
            try Data(#"{"Version":"2.0"}"#.utf8).write(to: URL(fileURLWithPath: path))
            #expect(AWSInfo().rootInfoDictionary["Version"] as? String == "2.0")
            #expect(AWSInfo.default().rootInfoDictionary["Version"] as? String == "1.0")
        }
    }

    @Test func `a published file sets pool, regions and user agent`() throws {
        try write(Self.published)
        let info = try #require(try read())
        let service = try #require(info.defaultServiceInfo("KinesisRecorder"))
        #expect(service.region == .USWest2)
        #expect(service.cognitoCredentialsProvider.identityPoolId == "us-east-1:pool")
        #expect(service.infoDictionary["Region"] as? String == "us-west-2")
        #expect(info.serviceInfo("KinesisRecorder", forKey: "clicks")?.region == .APSouth1)
        #expect(service.configuration.regionType == .USWest2)
        #expect(AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil).userAgent.contains("MobileHub/1.0"))
        #expect(info.rootInfoDictionary["Version"] as? String == "1.0")
    }

    @Test func `a service without a section has the default region`() throws {
        try write(Self.published)
        let info = try #require(try read())
        #expect(info.defaultServiceInfo("FirehoseRecorder")?.region == .EUWest1)
        #expect(info.serviceInfo("KinesisRecorder", forKey: "other")?.region == .EUWest1)
    }

    @Test(arguments: [
        #"{}"#,
        #"{"KinesisRecorder":{"Default":{"Region":"us-east-1"}}}"#,
        #"{"CredentialsProvider":{"CognitoIdentity":{"Default":{"PoolId":"p","Region":"us-east-1"}}}}"#,
        #"{"CredentialsProvider":{"CognitoIdentity":{"Default":{"PoolId":5,"Region":"us-east-1"}}},"Default":{"Region":"us-east-1"}}"#,
        #"{"CredentialsProvider":[],"Default":"us-east-1","KinesisRecorder":7}"#,
    ])
    func `without a pool or a region there are no settings, as in the AWS SDK`(json: String) throws {
        try write(json)
        #expect(try read()?.defaultServiceInfo("KinesisRecorder") == nil)
    }

    @Test func `the file is the named one, otherwise next to the executable, otherwise in a bundle there`() throws {
        #expect(try read() == nil)
        try write(#"{"Version":"bundle"}"#, to: "App_App.resources/awsconfiguration.json")
        #expect(try read()?.rootInfoDictionary["Version"] as? String == "bundle")
        try write(#"{"Version":"beside"}"#)
        #expect(try read()?.rootInfoDictionary["Version"] as? String == "beside")
        try write(#"{"Version":"named"}"#, to: "own.json")
        let environment = ["AWS_KINESIS_RECORDER_CONFIGURATION": directory.path("own.json")]
        #expect(try read(environment)?.rootInfoDictionary["Version"] as? String == "named")
    }

    @Test(arguments: [
        ("{\n  \"Default\": {\n    \"Region\": }\n}", "line 3, column"),
        ("{\"Default\": ", "line 1, column 13"),
        ("", "line 1, column 1"),
        ("[]", "line 1"),
    ])
    func `a malformed file is an error that names file, line and column`(text: String, place: String) throws {
        try write(text)
        let failure = #expect(throws: ConfigurationFailure.self) { try read() }
        #expect(failure?.message.contains(directory.path("awsconfiguration.json")) == true)
        #expect(failure?.message.contains(place) == true, "\(failure?.message ?? "")")
    }

    @Test func `a named file that is missing is an error`() {
        let missing = directory.path("missing.json")
        let failure = #expect(throws: ConfigurationFailure.self) {
            try read(["AWS_KINESIS_RECORDER_CONFIGURATION": missing])
        }
        #expect(failure?.message.contains(missing) == true)
    }

    @Test func `AWSInfo comes before the default configuration, and that before the environment`() throws {
        try write(Self.published)
        let manager = AWSServiceManager()
        manager.defaultServiceConfiguration = AWSServiceConfiguration(region: .SAEast1, credentialsProvider: nil)
        let info = try read()
        let found = try AWSServiceConfiguration.resolved(for: "KinesisRecorder", info: info, by: manager)
        #expect(found.regionType == .USWest2)
        let other = try AWSServiceConfiguration.resolved(for: "KinesisRecorder", info: AWSInfo([:]), by: manager)
        #expect(other.regionType == .SAEast1)
    }

    @Test func `the file's error is reported if there is no other configuration`() throws {
        let broken = AWSInfo([:], failure: ConfigurationFailure("the file is broken"))
        let failure = #expect(throws: ConfigurationFailure.self) {
            try AWSServiceConfiguration.resolved(
                for: "KinesisRecorder",
                info: broken,
                by: AWSServiceManager(),
                environment: [:]
            )
        }
        #expect(failure?.message == "the file is broken")
    }

    @Test func `a dictionary can replace the file until it is used`() async {
        await #expect(processExitsWith: .success) {
            setenv("AWS_KINESIS_RECORDER_DIR", "/nowhere", 1)
            let pool = ["CognitoIdentity": ["Default": ["PoolId": "us-east-1:given", "Region": "us-east-1"]]]
            AWSInfo.configureDefaultAWSInfo(["CredentialsProvider": pool, "Default": ["Region": "us-east-2"]])
            #expect(AWSInfo.default().defaultServiceInfo("Kinesis")?.region == .USEast2)
            AWSInfo.configureDefaultAWSInfo([:])
            #expect(AWSInfo.default() === AWSInfo.default())
            #expect(AWSInfo.default().defaultServiceInfo("Kinesis") != nil)
            let own = AWSCognitoCredentialsProvider(regionType: .EUWest1, identityPoolId: "eu-west-1:own")
            AWSInfo.overrideCredentialsProvider(own)
            #expect(AWSInfo.default().defaultServiceInfo("Kinesis")?.cognitoCredentialsProvider === own)
        }
    }
}
