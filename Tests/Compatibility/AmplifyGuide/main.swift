import AmplifyFirehoseClient
import AmplifyFoundation
import AmplifyKinesisClient
import Foundation

// Runs the published code against the service that AWS_ENDPOINT_URL names; exits with 1 if it does not do what it says.

/// An application's own provider.
struct GuideKeys: AWSCredentialsProvider, AWSCredentials {
    let accessKeyId = "AKIDEXAMPLE"
    let secretAccessKey = "secret"

    func resolve() async throws -> AWSCredentials { self }
}

let provider = GuideKeys()

try await KinesisGuide.initialize(provider)
try await KinesisGuide.configure(provider)
let kinesisCounts = try await KinesisGuide.use(provider)
let smallKinesis = try AmplifyKinesisClient(
    region: "us-east-1",
    credentialsProvider: provider,
    options: .init(cacheMaxBytes: 0, flushStrategy: .none)
)
try await KinesisGuide.handleErrors(smallKinesis, Data([1]))

try await FirehoseGuide.initialize(provider)
try await FirehoseGuide.configure(provider)
let firehoseCounts = try await FirehoseGuide.use(provider)
let smallFirehose = try AmplifyFirehoseClient(
    region: "us-east-1",
    credentialsProvider: provider,
    options: .init(cacheMaxBytes: 0, flushStrategy: .none)
)
try await FirehoseGuide.handleErrors(smallFirehose, Data([1]))

let failed = try await KinesisUpstream.run() + FirehoseUpstream.run()
if !failed.isEmpty { print("failed: \(failed)") }
exit(kinesisCounts == (1, 1) && firehoseCounts == (1, 1) && failed.isEmpty ? 0 : 1)
