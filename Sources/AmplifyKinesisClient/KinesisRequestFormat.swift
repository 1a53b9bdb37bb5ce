public import AWSKinesisClient
public import AmplifyRecordCache
public import Foundation

/// How a client encodes its requests.
public enum KinesisRequestFormat: Sendable {
    /// `application/x-amz-json-1.1`, the default.
    case json
    /// `application/x-amz-cbor-1.1`, a binary format: records are sent as they are instead of as base64 text, a quarter fewer
    /// bytes to sign, encrypt and send.
    ///
    /// If the endpoint does not understand it, its records are sent in JSON at once, as are all later requests of this process
    /// to it, and a warning is logged. The AWS SDK for Java sends the same format to Kinesis. Here it was run against two local
    /// services, moto and MiniStack, which decode it with Python's cbor2, and never against AWS so far.
    case cbor
}

extension RecordClientOptions where Configuration == KinesisClient.KinesisClientConfiguration {
    /// How requests are encoded; in JSON by default.
    public var requestFormat: KinesisRequestFormat { sendsCBOR ? .cbor : .json }

    /// Creates options with an encoding of requests. The other parameters are those of the initializer without it.
    public init(
        cacheMaxBytes: Int64 = 5 * 1_024 * 1_024,
        maxRetries: Int = 5,
        flushStrategy: FlushStrategy = .interval(),
        configureClient: ((inout Configuration) -> Void)? = nil,
        flushDrains: Bool = false,
        storeDirectory: URL? = nil,
        requestFormat: KinesisRequestFormat
    ) {
        self.init(
            cacheMaxBytes: cacheMaxBytes,
            maxRetries: maxRetries,
            flushStrategy: flushStrategy,
            configureClient: configureClient,
            flushDrains: flushDrains,
            storeDirectory: storeDirectory
        )
        sendsCBOR = requestFormat == .cbor
    }
}
