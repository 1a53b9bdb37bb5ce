import RecordClientFoundation
import RecorderAWS
import RecorderStore

extension RecordEvent {
    /// The public events for an event of the engine.
    static func all(for event: RecorderEvent) -> [RecordEvent] {
        switch event {
        case .answered(let answer):
            let stream = answer.stream.rawValue
            var events: [RecordEvent] = []
            if answer.delivered > 0 { events.append(.delivered(records: answer.delivered, streamName: stream)) }
            if answer.retried > 0 {
                let reason = answer.failure?.description ?? "The service gave no reason."
                events.append(.retried(records: answer.retried, streamName: stream, reason: reason))
            }
            return events
        case .discarded(let discard):
            let streams = discard.streams.map(\.rawValue).sorted()
            return [.discarded(records: discard.count, streamNames: streams, reason: .maxRetriesExceeded)]
        case .settled(let progress):
            let status = FlushStatus(
                recordsFlushed: progress.delivered,
                entriesFlushed: progress.entries,
                recordsLeft: progress.recordsLeft,
                elapsed: progress.elapsed
            )
            return [.progress(status)]
        case .rescued(let rescue): return [.recovered(records: rescue.rescued, lost: rescue.lost)]
        // The clients have no byte threshold.
        case .byteThresholdReached: return []
        }
    }

    /// The name of a stream, of which the events have what was given to `record`: the name or the ARN.
    private static func name(_ stream: String) -> String { StreamName(unchecked: stream).name }

    func write(to log: any Logger) {
        switch self {
        case .delivered(let records, let stream):
            log.verbose("\(records) records of \(Self.name(stream)) were delivered")
        case .retried(let records, let stream, let reason):
            log.warn("\(records) records of \(Self.name(stream)) failed and stay cached: \(reason)")
        case .discarded(let records, let streams, _):
            log.warn(
                "\(records) records of \(streams.map(Self.name).joined(separator: ", ")) failed too often and were discarded"
            )
        case .progress: break
        case .recovered(let records, let lost):
            let lost = lost.map { "\($0) were lost" } ?? "the number of lost records is unknown"
            log.error("The cache's file was damaged: \(records) records were recovered, \(lost)")
        }
    }
}
