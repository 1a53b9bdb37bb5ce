// swift-format-ignore-file
// Code in the form of Amplify's own tests and of the SDK's guide, with their imports: none is missing, and no name is
// ambiguous.
import AmplifyFoundation
import AmplifyFoundationBridge
import AmplifyKinesisClient
import AmplifyRecordCache
import AWSClientRuntime
import AWSKinesis
import AWSSDKIdentity
import ClientRuntime
import Foundation
import Smithy
import SmithyHTTPAPI
import SmithyIdentity
import SmithyRetries
import SmithyRetriesAPI

/// `AWSKinesis` exports names of `AWSCore`, but these are Amplify's.
struct KinesisKeys: AWSTemporaryCredentials {
    var accessKeyId: String { "AKIDEXAMPLE" }
    var secretAccessKey: String { "secret" }
    var sessionToken: String { "token" }
    var expiration: Date { Date(timeIntervalSinceNow: 3600) }
}

struct KinesisKeysProvider: AWSCredentialsProvider {
    func resolve() async throws -> AWSCredentials { KinesisKeys() }
}

/// Both kinds of provider; the bridge has the other method.
final class ResolverAndProvider: AWSCredentialIdentityResolver, AWSCredentialsProvider {
    func getIdentity(identityProperties: Smithy.Attributes? = nil) async throws -> AWSCredentialIdentity {
        SmithyIdentity.AWSCredentialIdentity(accessKey: "AKIDEXAMPLE", secret: "secret")
    }
}

final class ProviderAndResolver: AWSCredentialIdentityResolver, AWSCredentialsProvider {
    func resolve() async throws -> AWSCredentials { KinesisKeys() }
}

struct LinearBackoff: SmithyRetriesAPI.RetryBackoffStrategy {
    func computeNextBackoffDelay(attempt: Int) -> TimeInterval { 0.01 * Double(attempt) }
}

/// Answers by itself, and keeps the header.
final class UserAgentEngine: HTTPClient, @unchecked Sendable {
    var capturedUserAgent: String?

    func send(request: SmithyHTTPAPI.HTTPRequest) async throws -> SmithyHTTPAPI.HTTPResponse {
        capturedUserAgent = request.headers.value(for: "User-Agent")
        throw URLError(.cancelled)
    }
}

enum KinesisUpstream {
    /// What does not hold.
    static func run() async throws -> [String] {
        var failed: [String] = []
        if try await !configuresTheClient() { failed.append("configureClient") }
        if try await !namesAmplify() { failed.append("user agent") }
        if try await !adaptsCredentials() { failed.append("adapters") }
        if try await !callsTheService() { failed.append("service client") }
        return failed
    }

    static func configuresTheClient() async throws -> Bool {
        let client = try AmplifyKinesisClient(
            region: "us-east-1",
            credentialsProvider: KinesisKeysProvider(),
            options: AmplifyKinesisClient.Options(
                maxRetries: 3,
                flushStrategy: FlushStrategy.none,
                configureClient: { config in
                    config.retryStrategyOptions = RetryStrategyOptions(
                        backoffStrategy: ExponentialBackoffStrategy(),
                        maxRetriesBase: 10,
                        availableCapacity: 100,
                        maxCapacity: 200,
                        rateLimitingMode: .standard
                    )
                    config.httpClientConfiguration = HttpClientConfiguration(connectTimeout: 5, maxConnections: 4)
                    config.clientLogMode = ClientLogMode.none
                }
            )
        )
        let config = client.getKinesisClient().config
        return config.retryStrategyOptions.maxRetriesBase == 10 && config.retryStrategyOptions.maxCapacity == 200
            && config.httpClientConfiguration.maxConnections == 4
    }

    static func namesAmplify() async throws -> Bool {
        let engine = UserAgentEngine()
        let client = try AmplifyKinesisClient(
            region: "us-east-1",
            credentialsProvider: KinesisKeysProvider(),
            options: AmplifyKinesisClient.Options(
                flushStrategy: .none,
                configureClient: { config in config.httpClientEngine = engine }
            )
        )
        let request = PutRecordsInput(
            records: [KinesisClientTypes.PutRecordsRequestEntry(data: Data("test".utf8), partitionKey: "pk")],
            streamName: "test-stream"
        )
        do {
            _ = try await client.getKinesisClient().putRecords(input: request)
            return false
        } catch {
            return engine.capturedUserAgent?.contains("md/amplify-kinesis#\(AmplifyMetadata.version)") == true
        }
    }

    static func adaptsCredentials() async throws -> Bool {
        let adapter = FoundationToSDKCredentialsAdapter(provider: KinesisKeysProvider())
        let identity = try await adapter.getIdentity()
        let resolver = try StaticAWSCredentialIdentityResolver(identity)
        let back = try await SDKToFoundationCredentialsAdapter(resolver: resolver).resolve()
        let resolved = try await ResolverAndProvider().resolve()
        let provided = try await ProviderAndResolver().getIdentity(identityProperties: nil)
        let converted = try KinesisKeys().toAWSCredentialIdentity().toAWSCredentials()
        return identity.sessionToken == "token" && (back as? AWSTemporaryCredentials)?.sessionToken == "token"
            && resolved.accessKeyId == "AKIDEXAMPLE" && provided.secret == "secret"
            && (converted as? AWSTemporaryCredentials)?.sessionToken == "token"
    }

    static func callsTheService() async throws -> Bool {
        let config = try await KinesisClient.KinesisClientConfiguration(
            awsCredentialIdentityResolver: FoundationToSDKCredentialsAdapter(provider: KinesisKeysProvider()),
            awsRetryMode: .adaptive,
            maxAttempts: 3,
            region: "us-east-1"
        )
        let client = KinesisClient(config: config)
        guard try await client.listStreams(input: ListStreamsInput()).streamNames == ["my-stream"] else { return false }
        do {
            _ = try await client.describeStream(input: DescribeStreamInput(streamName: "missing"))
            return false
        } catch let error as AWSServiceError {
            return error is ResourceNotFoundException && error.errorCode == "ResourceNotFoundException"
        }
    }
}
