import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderEngine
import RecorderStore

/// Posts the engine's events as notifications whose sender is the recorder.
///
/// `NotificationCenter` waits for each observer. While one blocks, because its queue is not served for example, later
/// notifications wait, but saves complete.
final class NotificationSender: Sendable {
    private struct Weak {
        weak var recorder: AWSAbstractKinesisRecorder?
    }

    private let identity: RecorderIdentity
    private let sender = Locked(Weak())
    private let onProgress = Locked<(@Sendable (AWSSubmitProgress) -> Void)?>(nil)
    private let notifications = NotificationQueue<RecorderEvent>(capacity: 1_024) { event, waiting in
        event.merge(into: &waiting)
    }
    /// Only the newest progress waits.
    private let progress = NotificationQueue<AWSSubmitProgress>(capacity: 1, of: .progress) { newest, waiting in
        waiting = [newest]
    }

    private let discards = DiscardReports(
        wait: { duration, action in
            // A listener may block its thread.
            Task(executorPreference: UserCodeExecutor.shared) {
                try? await Task.sleep(for: duration)
                action()
            }
        },
        report: { discard in
            RecorderLog.warning(
                "\(discard.count) records (\(discard.bytes) bytes) of \(discard.streams.map(\.name).sorted().joined(separator: ", ")) "
                    + "were discarded: \(discard.reason.legacyText)\(discard.message.map { ": \($0)" } ?? ".")"
            )
        }
    )

    private let onMetrics = Locked(MetricsHandlers())
    private let metrics = NotificationQueue<AWSSubmitMetrics>(capacity: 16, of: .metrics) { newest, waiting in
        waiting.removeFirst()
        waiting.append(newest)
    }

    init(_ identity: RecorderIdentity) {
        self.identity = identity
    }

    deinit { logDiscards() }

    /// Logs the discards that wait for others.
    func logDiscards() { discards.finishIfFree() }

    var recorder: AWSAbstractKinesisRecorder? {
        get { sender.withLock { $0.recorder } }
        set { sender.withLock { $0.recorder = newValue } }
    }

    var progressHandler: (@Sendable (AWSSubmitProgress) -> Void)? {
        get { onProgress.withLock { $0 } }
        set { onProgress.replace { $0 = newValue } }
    }

    var metricsHandler: (@Sendable (AWSSubmitMetrics) -> Void)? {
        get { onMetrics.withLock { $0.own } }
        set { onMetrics.replace { $0.own = newValue } }
    }

    /// Passes metrics on to a library, besides the handler.
    func forwardMetrics(to library: @escaping @Sendable (AWSSubmitMetrics) -> Void) {
        onMetrics.replace { $0.library = library }
    }

    var wantsMetrics: Bool { onMetrics.withLock { $0.own != nil || $0.library != nil } }

    func deliver(_ submit: AWSSubmitMetrics) {
        let handlers = onMetrics.withLock { $0 }
        metrics.deliver(submit) { submit in
            handlers.own?(submit)
            handlers.library?(submit)
        }
    }

    private struct MetricsHandlers: Sendable {
        var own: (@Sendable (AWSSubmitMetrics) -> Void)?
        var library: (@Sendable (AWSSubmitMetrics) -> Void)?
    }

    /// Called on the recorder's callback threads.
    func post(_ event: RecorderEvent) {
        log(event)
        switch event {
        case .settled(let step):
            guard let progressHandler else { break }
            progress.deliver(AWSSubmitProgress(step)) { progressHandler($0) }
        case .answered: break
        case .byteThresholdReached, .discarded, .rescued:
            // The recorder is alive: what leads to an event keeps it. It stays so until the notifications that wait are posted,
            // too.
            let recorder = recorder
            notifications.deliver(event) { notify(of: $0, from: recorder) }
        }
    }

    private func log(_ event: RecorderEvent) {
        switch event {
        case .discarded(let discard): discards.add(discard)
        case .rescued(let rescue):
            let lost = rescue.lost.map { "\($0) records were lost" } ?? "the number of lost records is unknown"
            RecorderLog.warning(
                "the record store was damaged and is now at \(rescue.movedTo): "
                    + "\(rescue.rescued) records were rescued, \(lost)."
            )
        case .byteThresholdReached, .settled, .answered: break
        }
    }

    private func notify(of event: RecorderEvent, from recorder: AWSAbstractKinesisRecorder?) {
        switch event {
        case .byteThresholdReached(let usage):
            // An NSNumber, because on Linux a UInt or Int cannot be cast with both `as? Int` and `as? NSNumber`.
            post(
                identity.byteThresholdReached,
                from: recorder,
                userInfo: [identity.diskBytesUsedKey: NSNumber(value: usage)]
            )
        case .discarded(let discard):
            var userInfo: [String: Any] = [
                AWSRecorderDiscardReasonKey: discard.reason.legacyText,
                AWSRecorderDiscardCountKey: NSNumber(value: discard.count),
                AWSRecorderDiscardBytesKey: NSNumber(value: discard.bytes),
                AWSRecorderDiscardStreamNamesKey: discard.streamNames,
            ]
            userInfo[AWSRecorderDiscardMessageKey] = discard.message
            post(.AWSRecorderDidDiscardRecords, from: recorder, userInfo: userInfo)
        case .rescued(let rescue):
            var userInfo: [String: Any] = [
                AWSRecorderRescuedCountKey: NSNumber(value: rescue.rescued),
                AWSRecorderDamagedFileKey: rescue.movedTo,
            ]
            userInfo[AWSRecorderLostCountKey] = rescue.lost.map { NSNumber(value: $0) }
            post(.AWSRecorderDidRescueRecords, from: recorder, userInfo: userInfo)
        case .settled, .answered: break
        }
    }

    private func post(_ name: Notification.Name, from recorder: AWSAbstractKinesisRecorder?, userInfo: [String: Any]) {
        NotificationCenter.default.post(name: name, object: recorder, userInfo: userInfo)
    }
}

extension RecorderEvent {
    /// Merges this event into a full queue: discards for the same reason are added up, and only the newest of the events
    /// about the byte threshold is kept. An event that fits neither rule is dropped; it is in the log.
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
