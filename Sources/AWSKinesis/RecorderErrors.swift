import Foundation
import RecorderAWS
import RecorderEngine

/// The domain of errors about records of `AWSKinesisRecorder`.
public let AWSKinesisRecorderErrorDomain = "com.amazonaws.AWSKinesisRecorderErrorDomain"

/// The domain of errors about records of `AWSFirehoseRecorder`.
public let AWSFirehoseRecorderErrorDomain = "com.amazonaws.AWSFirehoseRecorderErrorDomain"

/// Codes in `AWSKinesisRecorderErrorDomain`.
public enum AWSKinesisRecorderErrorType: Int, Sendable {
    /// Anything but the cases below; the description says what, and how to mend it.
    case unknown = 0
    /// The record is larger than 262,144 bytes.
    case dataTooLarge = 1
}

/// Codes in `AWSFirehoseRecorderErrorDomain`.
public enum AWSFirehoseRecorderErrorType: Int, Sendable {
    /// Anything but the cases below; the description says what, and how to mend it.
    case unknown = 0
    /// The record is larger than 262,144 bytes.
    case dataTooLarge = 1
}

/// The key, in a submit's error, of every stream that kept records: `[String: NSError]` by stream name.
public let AWSRecorderStreamErrorsKey = "AWSRecorderStreamErrors"

/// The one place where the engine's errors become the `NSError`s that old code knows.
struct RecorderErrors: Sendable {
    private let recorderDomain: String
    private let service: ServiceErrorTable

    init(_ identity: RecorderIdentity) {
        recorderDomain = identity.recorderErrorDomain
        service = identity.service.service == .kinesis ? .kinesis : .firehose
    }

    func error(_ error: RecorderError) -> NSError {
        switch error {
        // The two recorders' types have the same numbers.
        case .invalidRecord(.dataTooLarge, let text):
            make(recorderDomain, AWSKinesisRecorderErrorType.dataTooLarge.rawValue, text)
        case .invalidRecord(_, let text):
            make(recorderDomain, AWSKinesisRecorderErrorType.unknown.rawValue, text)
        // The recorders make room instead.
        case .storeFull(let text):
            make(recorderDomain, AWSKinesisRecorderErrorType.unknown.rawValue, text)
        case .storage(let text, _):
            // The original passed on the errors of its SQLite wrapper under this name.
            error.sqliteCode.map { make("AWSFMDatabase", $0, text) }
                ?? make(recorderDomain, AWSKinesisRecorderErrorType.unknown.rawValue, text)
        case .service(let failure):
            failure.nsError(service)
        case .configuration(let failure):
            failure.nsError
        case .cancelled:
            make(NSURLErrorDomain, NSURLErrorCancelled, error.message)
        }
    }

    /// Success, or the error of the stream that stopped first, with those of all others.
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

    private func make(_ domain: String, _ code: Int, _ text: String) -> NSError {
        NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: text])
    }
}
