/// The operations of Data Firehose, one `async` method each.
///
/// ```swift
/// let client = try FirehoseClient(region: "us-east-1")
/// let streams = try await client.listDeliveryStreams(input: ListDeliveryStreamsInput(limit: 10))
/// ```
/// Calls throw the errors of the service model, such as ``ResourceNotFoundException``; ``UnknownAWSHTTPServiceError`` for
/// other refusals of the service; ``AWSClientError`` where there is no answer; and `CancellationError`. They are tried
/// again as the configuration says. Safe to use from any thread; calls run side by side.
public final class FirehoseClient: Sendable {
    /// The name of the client.
    public static let clientName = "FirehoseClient"

    /// What the client was made with. Changing it changes nothing.
    public let config: FirehoseClientConfiguration

    /// What makes the calls.
    package let calls: ClientCalls

    /// A client. Settings that cannot be used fail its calls.
    public init(config: FirehoseClientConfiguration) {
        self.config = FirehoseClientConfiguration(copying: config)
        calls = ClientCalls(.firehose, self.config)
    }

    /// A client for a region such as `us-east-1`, with what this machine is set up with for the rest.
    ///
    /// Throws ``AWSClientError`` if that is no region's name.
    public convenience init(region: String) throws {
        self.init(config: try FirehoseClientConfiguration(region: region))
    }

    /// A client with what this machine is set up with.
    ///
    /// Throws ``AWSClientError`` if no region is set up, or one whose name cannot be used.
    public convenience init() throws {
        self.init(config: try FirehoseClientConfiguration())
        _ = try config.requiredRegion
    }

    /// What a ``FirehoseClient`` depends on. A client takes a copy when it is made: change it before.
    public final class FirehoseClientConfiguration: AWSClientConfiguration, @unchecked Sendable {
        // Safe because it adds no state to its superclass.
    }

    /// The same by its newer name. It is a class under this name, too.
    public typealias FirehoseClientConfig = FirehoseClientConfiguration
}
