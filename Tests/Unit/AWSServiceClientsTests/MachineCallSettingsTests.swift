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
        configuration.awsRetryMode = .standard
        #expect(throws: Never.self) { try call(["AWS_RETRY_MODE": "other"]) }
    }

    @Test(arguments: [("AWS_MAX_ATTEMPTS", "0"), ("AWS_RETRY_MODE", "other")])
    func `an invalid variable is an error of the call, with its name and value`(name: String, value: String) throws {
        #expect {
            _ = try call([name: value])
        } throws: { error in
            "\(error)".hasPrefix("\(name) is \"\(value)\": ")
        }
    }
}
