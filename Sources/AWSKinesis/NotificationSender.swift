import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderEngine

/// Turns what the engine reports into notifications whose sender is the recorder.
final class NotificationSender: Sendable {
    private struct Weak {
        weak var recorder: AWSAbstractKinesisRecorder?
    }

    private let identity: RecorderIdentity
    private let sender = Locked(Weak())
    private let onProgress = Locked<(@Sendable (AWSSubmitProgress) -> Void)?>(nil)

    init(_ identity: RecorderIdentity) {
        self.identity = identity
    }

    var recorder: AWSAbstractKinesisRecorder? {
        get { sender.withLock { $0.recorder } }
        set { sender.withLock { $0.recorder = newValue } }
    }

    var progressHandler: (@Sendable (AWSSubmitProgress) -> Void)? {
        get { onProgress.withLock { $0 } }
        set { onProgress.withLock { $0 = newValue } }
    }

    func post(_ event: RecorderEvent) {
        switch event {
        case .byteThresholdReached(let usage):
            // An NSNumber, because a UInt or Int would not answer to `as? Int` and `as? NSNumber` alike on Linux.
            post(identity.byteThresholdReached, [identity.diskBytesUsedKey: NSNumber(value: usage)])
        case .discarded(let discard):
            let streams = discard.streams.map(\.rawValue).sorted()
            RecorderLog.warning(
                "\(discard.count) records (\(discard.bytes) bytes) of \(streams.joined(separator: ", ")) "
                    + "were discarded: \(discard.reason.legacyText)."
            )
            post(
                .AWSRecorderDidDiscardRecords,
                [
                    AWSRecorderDiscardReasonKey: discard.reason.legacyText,
                    AWSRecorderDiscardCountKey: NSNumber(value: discard.count),
                    AWSRecorderDiscardBytesKey: NSNumber(value: discard.bytes),
                    AWSRecorderDiscardStreamNamesKey: streams,
                ]
            )
        case .settled(let progress):
            if let progressHandler { progressHandler(AWSSubmitProgress(progress)) }
        case .answered: break
        case .rescued(let rescue):
            let lost = rescue.lost.map { "\($0) records were lost" } ?? "how many records were lost cannot be known"
            RecorderLog.warning(
                "the record store was damaged and is now at \(rescue.movedTo): "
                    + "\(rescue.rescued) records were rescued, \(lost)."
            )
            var userInfo: [String: Any] = [
                AWSRecorderRescuedCountKey: NSNumber(value: rescue.rescued),
                AWSRecorderDamagedFileKey: rescue.movedTo,
            ]
            userInfo[AWSRecorderLostCountKey] = rescue.lost.map { NSNumber(value: $0) }
            post(.AWSRecorderDidRescueRecords, userInfo)
        }
    }

    private func post(_ name: Notification.Name, _ userInfo: [String: Any]) {
        NotificationCenter.default.post(name: name, object: recorder, userInfo: userInfo)
    }
}

extension Discard.Reason {
    /// The value under `AWSRecorderDiscardReasonKey`.
    fileprivate var legacyText: String {
        switch self {
        case .byteLimit: "diskByteLimit"
        case .ageLimit: "diskAgeLimit"
        case .rejected(let code): code
        case .retriesExhausted: "retriesExhausted"
        }
    }
}
