public import AWSServiceClients
public import AmplifyRecordCache

/// Changes the configuration of the service's own client before it is made. Credentials set here are not used.
public typealias AmplifyKinesisClientConfigurationProvider = (
    inout KinesisClient.KinesisClientConfiguration
) -> Void

extension AmplifyKinesisClient {
    /// The options of a client.
    public typealias Options = RecordClientOptions<KinesisClient.KinesisClientConfiguration>
}
