import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

@Suite struct RecorderConfigurationTests {
    @Test func `a registered recorder has its own copy of its configuration`() throws {
        let configuration = try Recorders.configuration("http://127.0.0.1:1")
        AWSKinesisRecorder.register(with: configuration, forKey: "own copy")
        configuration.maxRetryCount = 9
        let recorder = AWSKinesisRecorder(forKey: "own copy")
        #expect(recorder?.configuration.regionType == .USEast1)
        #expect(recorder.configuration.maxRetryCount == 3)
        #expect(recorder.configuration.credentialsProvider === configuration.credentialsProvider)
    }

    @Test func `the default recorder has the configuration of the program, or none`() async {
        await #expect(processExitsWith: .success) {
            for name in ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_CONFIG_FILE", "HOME"] {
                unsetenv(name)
            }
            let recorder = AWSFirehoseRecorder.default()
            #expect(recorder.configuration == nil)
            AWSServiceManager.default().defaultServiceConfiguration = AWSServiceConfiguration(
                region: .EUWest1,
                credentialsProvider: nil
            )
            #expect(recorder.configuration?.regionType == .EUWest1)
        }
    }

    @Test func `the versions of all modules are the same`() {
        #expect(AWSiOSSDKVersion == AWSKinesisSDKVersion)
        #expect(AWSiOSSDKVersion == AWSFirehoseSDKVersion)
        #expect(AWSiOSSDKVersion.compare("2.13.0", options: .numeric) != .orderedAscending)
    }

    @Test func `the records of a recorder are signed by the subclass's own keys`() async throws {
        let server = try LocalServer { _, _ in
            .json(200, #"{"FailedRecordCount":0,"Records":[{"ShardId":"s","SequenceNumber":"1"}]}"#)
        }
        let configuration = try #require(
            AWSServiceConfiguration(
                region: .USEast1,
                endpoint: AWSEndpoint(urlString: server.url),
                credentialsProvider: OwnKeys(regionType: .USEast1, identityPoolId: "us-east-1:pool")
            )
        )
        _ = Recorders.path
        AWSKinesisRecorder.register(with: configuration, forKey: "own keys")
        let recorder = try #require(AWSKinesisRecorder(forKey: "own keys"))
        _ = try await recorder.saveRecord(Data("x".utf8), streamName: "stream").value
        _ = try await recorder.submitAllRecords().value
        #expect(server.requests.first?.header("Authorization")?.contains("Credential=OWNKEYS/") == true)
    }
}

/// A test double of a Cognito provider, as applications have it.
private final class OwnKeys: AWSCognitoCredentialsProvider, @unchecked Sendable {
    override func credentials() -> AWSTask<AWSCredentials> {
        AWSTask(
            result: AWSCredentials(accessKey: "OWNKEYS", secretKey: Canary.secret, sessionKey: nil, expiration: nil)
        )
    }
}
