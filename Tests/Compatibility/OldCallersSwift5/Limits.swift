// swift-format-ignore-file
// Written after programs of Swift 3 to 5 and SDK 2.5 and later: limits, notifications and errors.
import AWSCore
import AWSKinesis

/// A store with a small limit, and an observer of the byte threshold in block form.
public final class ThresholdObserver {
    let recorder: AWSKinesisRecorder
    private var observer: NSObjectProtocol?
    public private(set) var bytes: [Int] = []

    public init(recorder: AWSKinesisRecorder, threshold: UInt) {
        self.recorder = recorder
        recorder.notificationByteThreshold = threshold
        observer = NotificationCenter.default.addObserver(forName: NSNotification.Name.AWSKinesisRecorderByteThresholdReached, object: recorder, queue: nil) { [weak self] notification in
            guard let used = notification.userInfo?[AWSKinesisRecorderByteThresholdReachedNotificationDiskBytesUsedKey] as? NSNumber else { return }
            self?.bytes.append(used.intValue)
        }
    }

    deinit {
        if let observer = observer {
            NotificationCenter.default.removeObserver(observer)
        }
    }
}

/// An observer that submits as soon as the threshold is reached.
public final class SubmitOnThreshold {
    private let queue = OperationQueue()

    public init(recorder: AWSFirehoseRecorder, submitted: @escaping (NSError?) -> Void) {
        recorder.notificationByteThreshold = 1
        recorder.diskByteLimit = 0
        _ = NotificationCenter.default.addObserver(forName: Notification.Name(rawValue: AWSFirehoseRecorderByteThresholdReachedNotification), object: nil, queue: queue) { [weak recorder] notification in
            recorder?.submitAllRecords()?.continueWith { task in
                submitted(task.error as NSError?)
                return nil
            }
        }
    }
}

/// Limits that evict the oldest record, and an age.
public func keepNewest(_ recorder: AWSKinesisRecorder, bytes: Int, days: Int) {
    recorder.diskByteLimit = UInt(bytes)
    recorder.diskAgeLimit = TimeInterval(days * 24 * 60 * 60)
}

/// How much is stored, as a text for the user.
public func storedText(_ recorder: AWSKinesisRecorder?) -> String {
    guard let recorder = recorder, recorder.diskBytesUsed > 0 else { return "nothing stored" }
    return "\(recorder.diskBytesUsed) bytes stored"
}

/// What a program does with an error, by domain and code.
public enum Reaction: Equatable {
    case split, fixArguments, noSuchStream, notAllowed, offline, wait, unknown(String, Int)
}

public func reaction(to error: Error) -> Reaction {
    let error = error as NSError
    switch (error.domain, error.code) {
    case (AWSKinesisRecorderErrorDomain, AWSKinesisRecorderErrorType.dataTooLarge.rawValue):
        return .split
    case (AWSFirehoseRecorderErrorDomain, AWSFirehoseRecorderErrorType.dataTooLarge.rawValue):
        return .split
    case (AWSKinesisRecorderErrorDomain, AWSKinesisRecorderErrorType.unknown.rawValue):
        return .fixArguments
    case (AWSKinesisErrorDomain, AWSKinesisErrorType.resourceNotFound.rawValue), (AWSFirehoseErrorDomain, AWSFirehoseErrorType.resourceNotFound.rawValue):
        return .noSuchStream
    case (AWSKinesisErrorDomain, AWSKinesisErrorType.provisionedThroughputExceeded.rawValue):
        return .wait
    case (AWSServiceErrorDomain, AWSServiceErrorType.accessDeniedException.rawValue), (AWSServiceErrorDomain, AWSServiceErrorType.unrecognizedClientException.rawValue):
        return .notAllowed
    case (NSURLErrorDomain, NSURLErrorNotConnectedToInternet), (NSURLErrorDomain, NSURLErrorCannotConnectToHost):
        return .offline
    default:
        return .unknown(error.domain, error.code)
    }
}

/// The same with the enumerations themselves.
public func isTooLarge(_ task: AWSTask<AnyObject>) -> Bool {
    guard let error = task.error as NSError?, error.domain == AWSKinesisRecorderErrorDomain else { return false }
    return AWSKinesisRecorderErrorType(rawValue: error.code) == .dataTooLarge
}

/// The message that is shown to the user.
public func message(of error: Error) -> String {
    let error = error as NSError
    return error.userInfo["message"] as? String ?? error.userInfo[NSLocalizedDescriptionKey] as? String ?? error.localizedDescription
}
