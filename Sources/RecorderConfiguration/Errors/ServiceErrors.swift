/// The domain of errors that are specific to Kinesis.
public let AWSKinesisErrorDomain = "com.amazonaws.AWSKinesisErrorDomain"

/// Codes in `AWSKinesisErrorDomain`.
///
/// The first seven have the numbers of the AWS SDK up to 2.12. Version 2.13 renumbered some of them to sort new codes
/// alphabetically; here the new codes are at the end.
public enum AWSKinesisErrorType: Int, Sendable {
    /// A code that is not listed; `userInfo["__type"]` contains it.
    case unknown = 0
    /// The shard iterator is too old.
    case expiredIterator
    /// A parameter is invalid; see the description.
    case invalidArgument
    /// Too many requests of this kind, or too many resources.
    case limitExceeded
    /// The stream's shards are at their throughput limit.
    case provisionedThroughputExceeded
    /// The stream is being created, updated or deleted.
    case resourceInUse
    /// There is no such stream in this region and account.
    case resourceNotFound
    /// The pagination token is too old.
    case expiredNextToken
    /// The stream's encryption key may not be used.
    case kmsAccessDenied
    /// The stream's encryption key is disabled.
    case kmsDisabled
    /// The stream's encryption key is in a state that does not allow this.
    case kmsInvalidState
    /// The stream's encryption key does not exist.
    case kmsNotFound
    /// The account is not subscribed to the key service.
    case kmsOptInRequired
    /// The key service throttled the request.
    case kmsThrottling
}

/// The domain of errors that are specific to Firehose.
public let AWSFirehoseErrorDomain = "com.amazonaws.AWSFirehoseErrorDomain"

/// Codes in `AWSFirehoseErrorDomain`, with the numbers of the AWS SDK 2.13.
public enum AWSFirehoseErrorType: Int, Sendable {
    /// A code that is not listed; `userInfo["__type"]` contains it.
    case unknown = 0
    /// Another request changed the delivery stream at the same time.
    case concurrentModification
    /// A parameter is invalid; see the description.
    case invalidArgument
    /// The delivery stream's encryption key cannot be used.
    case invalidKMSResource
    /// Too many requests of this kind, or too many resources.
    case limitExceeded
    /// The delivery stream is being created, updated or deleted.
    case resourceInUse
    /// There is no such delivery stream in this region and account.
    case resourceNotFound
    /// The service is unavailable, or the delivery stream is at its throughput limit.
    case serviceUnavailable
}

extension ServiceErrorTable {
    /// The error codes of Kinesis.
    package static let kinesis = ServiceErrorTable(
        domain: AWSKinesisErrorDomain,
        codes: [
            "ExpiredIteratorException": .expiredIterator,
            "InvalidArgumentException": .invalidArgument,
            "LimitExceededException": .limitExceeded,
            "ProvisionedThroughputExceededException": .provisionedThroughputExceeded,
            "ResourceInUseException": .resourceInUse,
            "ResourceNotFoundException": .resourceNotFound,
            "ExpiredNextTokenException": .expiredNextToken,
            "KMSAccessDeniedException": .kmsAccessDenied,
            "KMSDisabledException": .kmsDisabled,
            "KMSInvalidStateException": .kmsInvalidState,
            "KMSNotFoundException": .kmsNotFound,
            "KMSOptInRequired": .kmsOptInRequired,
            "KMSThrottlingException": .kmsThrottling,
        ].mapValues { (type: AWSKinesisErrorType) in type.rawValue }
    )

    /// The error codes of Firehose.
    package static let firehose = ServiceErrorTable(
        domain: AWSFirehoseErrorDomain,
        codes: [
            "ConcurrentModificationException": .concurrentModification,
            "InvalidArgumentException": .invalidArgument,
            "InvalidKMSResourceException": .invalidKMSResource,
            "LimitExceededException": .limitExceeded,
            "ResourceInUseException": .resourceInUse,
            "ResourceNotFoundException": .resourceNotFound,
            "ServiceUnavailableException": .serviceUnavailable,
        ].mapValues { (type: AWSFirehoseErrorType) in type.rawValue }
    )
}
