import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderEngine

/// Turns what the engine reports into notifications whose sender is the recorder.
///
/// An observer may block for as long as it likes, as one does whose queue is not served: `NotificationCenter` waits for it.
/// Then notifications wait, and saves complete all the same.
final class NotificationSender: Sendable {
    private struct Weak {
        weak var recorder: AWSAbstractKinesisRecorder?
    }

    private let identity: RecorderIdentity
    private let sender = Locked(Weak())
    private let onProgress = Locked<(@Sendable (AWSSubmitProgress) -> Void)?>(nil)
    private let notices = NoticeQueue<RecorderEvent>(capacity: 1_024) { notice, waiting in notice.merge(into: &waiting)
    }
    /// Of progress that waits only the newest counts.
    private let progress = NoticeQueue<AWSSubmitProgress>(capacity: 1) { notice, waiting in waiting = [notice] }

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

    /// Called where completions are.
    func post(_ event: RecorderEvent) {
        log(event)
        switch event {
        case .settled(let step):
            guard let progressHandler else { break }
            progress.bring(AWSSubmitProgress(step)) { progressHandler($0) }
        case .answered: break
        case .byteThresholdReached, .discarded, .rescued: notices.bring(event) { notify(of: $0) }
        }
    }

    private func log(_ event: RecorderEvent) {
        switch event {
        case .discarded(let discard):
            RecorderLog.warning(
                "\(discard.count) records (\(discard.bytes) bytes) of \(discard.streamNames.joined(separator: ", ")) "
                    + "were discarded: \(discard.reason.legacyText)."
            )
        case .rescued(let rescue):
            let lost = rescue.lost.map { "\($0) records were lost" } ?? "how many records were lost cannot be known"
            RecorderLog.warning(
                "the record store was damaged and is now at \(rescue.movedTo): "
                    + "\(rescue.rescued) records were rescued, \(lost)."
            )
        case .byteThresholdReached, .settled, .answered: break
        }
    }

    private func notify(of event: RecorderEvent) {
        switch event {
        case .byteThresholdReached(let usage):
            // An NSNumber, because a UInt or Int would not answer to `as? Int` and `as? NSNumber` alike on Linux.
            post(identity.byteThresholdReached, [identity.diskBytesUsedKey: NSNumber(value: usage)])
        case .discarded(let discard):
            post(
                .AWSRecorderDidDiscardRecords,
                [
                    AWSRecorderDiscardReasonKey: discard.reason.legacyText,
                    AWSRecorderDiscardCountKey: NSNumber(value: discard.count),
                    AWSRecorderDiscardBytesKey: NSNumber(value: discard.bytes),
                    AWSRecorderDiscardStreamNamesKey: discard.streamNames,
                ]
            )
        case .rescued(let rescue):
            var userInfo: [String: Any] = [
                AWSRecorderRescuedCountKey: NSNumber(value: rescue.rescued),
                AWSRecorderDamagedFileKey: rescue.movedTo,
            ]
            userInfo[AWSRecorderLostCountKey] = rescue.lost.map { NSNumber(value: $0) }
            post(.AWSRecorderDidRescueRecords, userInfo)
        case .settled, .answered: break
        }
    }

    private func post(_ name: Notification.Name, _ userInfo: [String: Any]) {
        NotificationCenter.default.post(name: name, object: recorder, userInfo: userInfo)
    }
}

extension RecorderEvent {
    /// Joins what waits in a full queue: counts of the same reason are added up, and of the byte threshold's notices the
    /// newest is kept. Only a discard for a reason that none of so many others has is dropped; the log has it.
    func merge(into waiting: inout [RecorderEvent]) {
        switch self {
        case .byteThresholdReached:
            guard let index = waiting.lastIndex(where: \.isThreshold) else { return }
            waiting.remove(at: index)
            waiting.append(self)
        case .discarded(let discard):
            for (index, other) in waiting.enumerated().reversed() {
                guard case .discarded(var merged) = other, merged.reason == discard.reason else { continue }
                merged.count += discard.count
                merged.bytes += discard.bytes
                merged.streams.formUnion(discard.streams)
                waiting[index] = .discarded(merged)
                return
            }
            replaceThreshold(in: &waiting)
        case .rescued: replaceThreshold(in: &waiting)
        case .settled, .answered: break
        }
    }

    private var isThreshold: Bool {
        if case .byteThresholdReached = self { true } else { false }
    }

    private func replaceThreshold(in waiting: inout [RecorderEvent]) {
        guard let index = waiting.firstIndex(where: \.isThreshold) else { return }
        waiting.remove(at: index)
        waiting.append(self)
    }
}

extension Discard {
    fileprivate var streamNames: [String] { streams.map(\.rawValue).sorted() }
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
