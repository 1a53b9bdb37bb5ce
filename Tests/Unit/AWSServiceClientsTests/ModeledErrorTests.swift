import AWSFirehoseClient
import AWSKinesisClient
import AWSServiceClients
import Foundation
import Testing

/// Errors and enumerations as aws-sdk-swift spells them.
struct ModeledErrorTests {
    @Test func `a program defines an error of its own, as for aws-sdk-swift`() {
        let error: any AWSServiceError = QuotaException(message: "too much")
        #expect(error.errorCode == "QuotaException" && error.statusCode == nil)
        #expect(error.description == "QuotaException: too much")
        let type = type(of: error) as? any ModeledError.Type
        #expect(type?.fault == .server && type?.isRetryable == true && type?.isThrottling == false)
    }

    @Test func `an error of a service model knows whose fault it is`() {
        #expect(InternalFailureException.fault == .server && ServiceUnavailableException.fault == .server)
        #expect(ResourceNotFoundException.fault == .client && ProvisionedThroughputExceededException.fault == .client)
        #expect(!ServiceUnavailableException.isRetryable && !LimitExceededException.isThrottling)
        #expect(ResourceNotFoundException().typeName == "ResourceNotFoundException")
    }

    @Test func `a case has capitals only where its name in the model has an underscore`() {
        #expect(FirehoseClientTypes.ProcessorType.appenddelimitertorecord.rawValue == "AppendDelimiterToRecord")
        #expect(FirehoseClientTypes.ProcessorParameterName.bufferSizeInMb.rawValue == "BufferSizeInMBs")
        #expect(FirehoseClientTypes.ProcessorParameterName.lambdaNumberOfRetries.rawValue == "NumberOfRetries")
        #expect(FirehoseClientTypes.HttpEndpointS3BackupMode.faileddataonly.rawValue == "FailedDataOnly")
        #expect(FirehoseClientTypes.DatabaseType.postgresql.rawValue == "PostgreSQL")
        #expect(FirehoseClientTypes.OrcFormatVersion.v011.rawValue == "V0_11")
        #expect(FirehoseClientTypes.CompressionFormat.hadoopSnappy.rawValue == "HADOOP_SNAPPY")
        #expect(KinesisClientTypes.MetricsName.iteratorAgeMilliseconds.rawValue == "IteratorAgeMilliseconds")
        #expect(KinesisClientTypes.ShardIteratorType.trimHorizon.rawValue == "TRIM_HORIZON")
    }
}

private struct QuotaException: ModeledError, AWSServiceError {
    static let typeName = "QuotaException"
    static let fault = ErrorFault.server
    static let isRetryable = true
    var message: String?
    var requestID: String?
}
