import RecorderEngine

/// `submit`: sends what is stored, once or again and again.
struct SubmitCommand: Sendable {
    private let session: Session
    private let policy: RecorderPolicy
    private let interval: Int?
    private let stop = StopSignal.shared

    init(_ session: Session) throws(CommandFailure) {
        self.session = session
        policy = try session.sendingPolicy()
        interval = try session.number(.watch, atLeast: 1, atMost: 365 * 86_400)
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        var stores = Stores()
        var troubles = ErrorLog(session.console)
        while true {
            let status = try await submit(&stores, &troubles)
            if let number = stop.number { return .signal(number) }
            guard let interval else { return status }
            await stop.pause(.seconds(interval))
            if let number = stop.number { return .signal(number) }
        }
    }

    /// The stores once opened, with the progress of each.
    private typealias Stores = [String: Store]

    private struct Store {
        let pipeline: RecordPipeline
        let flushes: StoppableFlush
        let progress: SubmitProgress
    }

    private func submit(_ stores: inout Stores, _ troubles: inout ErrorLog) async throws(CommandFailure) -> ExitStatus {
        var status = ExitStatus.success
        var isEmpty = true
        for (service, _) in try session.existingStores() where stop.number == nil {
            if stores[service.name] == nil { stores[service.name] = try open(service) }
            guard let store = stores[service.name] else { continue }
            guard let records = try recordsStored(store.pipeline, &troubles) else { continue }
            guard records > 0 else { continue }
            isEmpty = false
            let failed = await submit(store, records, &troubles)
            if status == .success, let failed { status = failed }
        }
        if isEmpty, interval == nil { session.console.report("nothing is stored.") }
        return status
    }

    private func open(_ service: StreamServiceDescription) throws(CommandFailure) -> Store {
        let progress = SubmitProgress(service.name, session.console)
        let pipeline = try session.pipeline(service, policy, report: { progress.take($0) })
        return Store(pipeline: pipeline, flushes: StoppableFlush(pipeline, stop), progress: progress)
    }

    /// nil for a store that a watch has to try again: one that is locked, or whose disk has no room.
    private func recordsStored(
        _ pipeline: RecordPipeline,
        _ troubles: inout ErrorLog
    ) throws(CommandFailure) -> Int? {
        do {
            let records = try pipeline.totals().records
            if records == 0 { troubles.take([], of: pipeline.service.name) }
            return records
        } catch {
            guard interval != nil else { throw CommandFailure(error) }
            troubles.take([error.message], of: pipeline.service.name)
            return nil
        }
    }

    private func submit(_ store: Store, _ records: Int, _ troubles: inout ErrorLog) async -> ExitStatus? {
        let (pipeline, progress) = (store.pipeline, store.progress)
        progress.begin(records)
        let outcome = await store.flushes.run()
        progress.end()
        let isNews = troubles.take(outcome.troubles, of: pipeline.service.name)
        // A watch that is in the same trouble as before, and goes on.
        let isRepeated = interval != nil && stop.number == nil && !isNews
        guard !isRepeated || outcome.delivered > 0 else { return outcome.status }
        session.console.report(progress.summary(of: outcome, left: (try? pipeline.totals().records) ?? 0))
        return outcome.status
    }
}
