import AWSKinesisClient
import AWSServiceClients
import Foundation
import RecorderAWS
import Testing

/// Attempts, retry mode and application ID that the environment gives to clients, and what code sets instead.
@Suite struct MachineCallSettingsTests {
    private let configuration: KinesisClient.KinesisClientConfiguration
    private let environment = ["AWS_MAX_ATTEMPTS": "7", "AWS_SDK_UA_APP_ID": "from environment"]

    init() throws {
        configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
    }

    private func call(_ environment: [String: String]) throws -> CallConfiguration {
        try configuration.callConfiguration(for: .kinesis, environment: environment)
    }

    @Test func `a client makes 3 attempts, unless the environment says otherwise`() throws {
        #expect(try call([:]).maximumRetries == 2)
        #expect(try call(environment).maximumRetries == 6)
        #expect(try call(environment).userAgent.hasSuffix(" app/from-environment"))
    }

    @Test func `what code sets takes precedence over the environment`() throws {
        configuration.retryStrategyOptions = RetryStrategyOptions(maxRetriesBase: 4)
        configuration.appID = "own"
        #expect(try call(environment).maximumRetries == 4)
        #expect(try call(environment).userAgent.hasSuffix(" app/own"))
        configuration.maxAttempts = 2
        #expect(try call(environment).maximumRetries == 1)
    }

    @Test func `an invalid number of attempts is an error of the call, an unknown retry mode is not`() throws {
        #expect {
            _ = try call(["AWS_MAX_ATTEMPTS": "0"])
        } throws: { error in
            "\(error)".hasPrefix("AWS_MAX_ATTEMPTS is \"0\": ")
        }
        #expect(try call(["AWS_RETRY_MODE": "other"]).maximumRetries == 2)
    }

    @Test func `with endpoint and resolver from code, files that cannot be used leave the variables in effect`() throws
    {
        let unusable = [
            ["AWS_PROFILE": "unknown", "AWS_CONFIG_FILE": "/no/such"], ["AWS_CONFIG_FILE": "/proc/self/mem"],
        ]
        for files in unusable {
            let settings = environment.merging(files) { $1 }
            let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
            func call() throws -> CallConfiguration {
                try configuration.callConfiguration(for: .kinesis, environment: settings)
            }
            configuration.endpoint = "http://127.0.0.1:1"
            #expect(throws: ConfigurationFailure.self) { try call() }
            configuration.awsCredentialIdentityResolver = DefaultAWSCredentialIdentityResolverChain()
            #expect(try call().maximumRetries == 6)
            #expect(try call().userAgent.hasSuffix(" app/from-environment"))
            configuration.endpoint = nil
            #expect(throws: ConfigurationFailure.self) { try call() }
        }
    }
}
