package import AWSCore

/// The domain of errors that only Kinesis answers with.
public let AWSKinesisErrorDomain = "com.amazonaws.AWSKinesisErrorDomain"

/// Codes in `AWSKinesisErrorDomain`.
///
/// The first seven have the numbers of the AWS SDK up to 2.12; version 2.13 moved some of them to put its new ones in
/// alphabetical order, where these follow at the end.
public enum AWSKinesisErrorType: Int, Sendable {
    /// A code that this list does not hold; `userInfo["__type"]` has it.
    case unknown = 0
    /// The shard iterator is too old.
    case expiredIterator
    /// A parameter is wrong; the description says which.
    case invalidArgument
    /// Too many requests of this kind, or too many resources.
    case limitExceeded
    /// The shards of the stream take no more for now.
    case provisionedThroughputExceeded
    /// The stream is being created, changed or deleted.
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
    /// The key service asks for fewer requests.
    case kmsThrottling
}

/// The domain of errors that only Firehose answers with.
public let AWSFirehoseErrorDomain = "com.amazonaws.AWSFirehoseErrorDomain"

/// Codes in `AWSFirehoseErrorDomain`, with the numbers of the AWS SDK 2.13.
public enum AWSFirehoseErrorType: Int, Sendable {
    /// A code that this list does not hold; `userInfo["__type"]` has it.
    case unknown = 0
    /// Someone else changed the delivery stream at the same time.
    case concurrentModification
    /// A parameter is wrong; the description says which.
    case invalidArgument
    /// The delivery stream's encryption key cannot be used.
    case invalidKMSResource
    /// Too many requests of this kind, or too many resources.
    case limitExceeded
    /// The delivery stream is being created, changed or deleted.
    case resourceInUse
    /// There is no such delivery stream in this region and account.
    case resourceNotFound
    /// The service has trouble, or the delivery stream takes no more for now.
    case serviceUnavailable
}

extension ServiceErrorTable {
    /// What Kinesis calls its errors on the wire.
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

    /// What Firehose calls its errors on the wire.
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
