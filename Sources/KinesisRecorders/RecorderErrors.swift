import Foundation
import RecorderAWS
import RecorderConfiguration
import RecorderStore

/// The domain of errors about records of `AWSKinesisRecorder`.
public let AWSKinesisRecorderErrorDomain = "com.amazonaws.AWSKinesisRecorderErrorDomain"

/// The domain of errors about records of `AWSFirehoseRecorder`.
public let AWSFirehoseRecorderErrorDomain = "com.amazonaws.AWSFirehoseRecorderErrorDomain"

/// Codes in `AWSKinesisRecorderErrorDomain`.
public enum AWSKinesisRecorderErrorType: Int, Sendable {
    /// Any error except those below; see its description.
    case unknown = 0
    /// The record is larger than `maximumRecordBytes`.
    case dataTooLarge = 1
}

/// Codes in `AWSFirehoseRecorderErrorDomain`.
public enum AWSFirehoseRecorderErrorType: Int, Sendable {
    /// Any error except those below; see its description.
    case unknown = 0
    /// The record is larger than `maximumRecordBytes`.
    case dataTooLarge = 1
}

/// The `userInfo` key, in a submit's error, of the errors of all streams with remaining records: `[String: NSError]` by
/// the name or ARN that was given to `saveRecord`.
public let AWSRecorderStreamErrorsKey = "AWSRecorderStreamErrors"

/// Converts the engine's errors to the `NSError`s of the AWS SDK.
struct RecorderErrors: Sendable {
    private let recorderDomain: String
    private let service: ServiceErrorTable

    init(_ identity: RecorderIdentity) {
        recorderDomain = identity.recorderErrorDomain
        service = identity.service.service == .kinesis ? .kinesis : .firehose
    }

    func error(_ error: RecorderError) -> NSError {
        switch error {
        // The enumerations of both recorders have the same raw values.
        case .invalidRecord(.dataTooLarge, let text):
            make(recorderDomain, code: AWSKinesisRecorderErrorType.dataTooLarge.rawValue, text: text)
        case .invalidRecord(_, let text):
            make(recorderDomain, code: AWSKinesisRecorderErrorType.unknown.rawValue, text: text)
        // Does not occur: these recorders discard old records instead.
        case .storeFull(let text):
            make(recorderDomain, code: AWSKinesisRecorderErrorType.unknown.rawValue, text: text)
        case .noThread:
            make(recorderDomain, code: AWSKinesisRecorderErrorType.unknown.rawValue, text: error.message)
        case .storage(let text, _):
            // The domain of the AWS SDK's SQLite wrapper.
            error.sqliteCode.map { make("AWSFMDatabase", code: $0, text: text) }
                ?? make(recorderDomain, code: AWSKinesisRecorderErrorType.unknown.rawValue, text: text)
        case .service(let failure):
            failure.nsError(service)
        case .configuration(let failure):
            failure.nsError
        case .cancelled:
            make(NSURLErrorDomain, code: NSURLErrorCancelled, text: error.message)
        }
    }

    /// Success, or the error of the stream that stopped first, together with those of all other streams.
    func result(of report: FlushReport) -> Result<Void, NSError> {
        guard let first = report.failures.first else { return .success(()) }
        let all = Dictionary(
            report.failures.map { ($0.stream.rawValue, self.error($0.error)) },
            uniquingKeysWith: { earlier, _ in earlier }
        )
        let error = self.error(first.error)
        var userInfo = error.userInfo
        userInfo[AWSRecorderStreamErrorsKey] = all
        return .failure(NSError(domain: error.domain, code: error.code, userInfo: userInfo))
    }

    private func make(_ domain: String, code: Int, text: String) -> NSError {
        NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: text])
    }
}
