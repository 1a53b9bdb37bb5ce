import RecorderAWS
import RecorderConcurrency
import RecorderDelivery
import RecorderEngine
import RecorderStore

/// `submit`: sends what is stored, once or repeatedly.
struct SubmitCommand: Command {
    static let spec = CommandSpec(
        name: "submit",
        summary: "send the stored records",
        options: [.onlyKinesis, .onlyFirehose, .stream, .watch] + OptionSpec.sending + [.metricsFile]
            + OptionSpec.output
            + OptionSpec.store + OptionSpec.service,
        details: """
            A record is deleted from disk only after the service has answered for it. A terminal shows a progress bar \
            with the rate and the time left; otherwise a line is printed every five seconds. After a signal, requests \
            under way have 8 seconds to be answered; a second signal after half a second or more ends the program at once. A watch that is stopped \
            ends with status 0; without a terminal it ignores SIGHUP, with a warning. A watch tries a stream that fails less often, \
            down to once a minute, and the others whenever it is due.

            With --json, and with --log-format json, standard output has nothing but the JSON object of --json; the summary \
            of each submit is then a line on standard error. Lines for systemd's journal have a priority (<3> is an error), \
            and those of a watch a time, if a file or a pipe gets them.

            --pack joins records that were saved with a newline at their end, as save --firehose does; others are sent one \
            by one. --omit-keys cannot be combined with --aggregate.

            Consumers lose aggregated records of a stream that distributes records by itself (strategy AUTO). So --aggregate \
            asks for the strategy and the shards of a stream, at most every ten minutes, and needs the permissions \
            kinesis:DescribeStreamSummary and kinesis:ListShards; --ordered asks for the strategy. Without an answer, now or \
            before, records are sent one by one. --aggregate=force is for streams whose strategy is known to be USER_PARTITION_KEY.
            """,
        examples: [
            .init(line: "kinesis-recorder submit", meaning: "everything, once"),
            .init(line: "kinesis-recorder submit --watch 1m", meaning: "everything, every minute, until stopped"),
        ]
    )

    private let session: Session
    /// The pause of a watch; nil to submit once.
    private let interval: Duration?
    private let stop = StopSignal.shared
    private let metrics: MetricsFile?
    private let tally = DeliveryTally()

    init(session: Session) throws(CommandFailure) {
        self.session = session
        for service in session.services { _ = try session.sendingPolicy(for: service, of: session.services) }
        interval = try session.invocation.duration(.watch, from: .seconds(1), to: .seconds(365 * 86_400))
        metrics = try MetricsFile(session, sends: true)
        for service in session.services { metrics?.add(service, at: try session.location(of: service)) }
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        let start = ContinuousClock.now
        var stores = Stores()
        let result: Result<ExitStatus, CommandFailure>
        do throws(CommandFailure) {
            result = .success(try await submitRepeatedly(&stores))
        } catch {
            result = .failure(error)
        }
        await metrics?.finish()
        if session.invocation.has(.summary) {
            let summary = RunSummary(
                delivered: tally.delivered,
                discarded: tally.discarded,
                left: left(in: stores),
                durationSeconds: (.now - start) / .seconds(1)
            )
            session.console.print(json: try JSONText.text(of: summary))
        }
        return try result.get()
    }

    /// The records in all stores; nil if one cannot be read. A signal may have ended the run before each was opened.
    private func left(in stores: Stores) -> Int? {
        try? session.existingStores().reduce(0) { sum, store in
            let pipeline = try stores[store.service.name]?.pipeline ?? session.pipeline(for: store.service)
            return try sum + pipeline.stored(in: session.selection).records
        }
    }

    private func submitRepeatedly(_ stores: inout Stores) async throws(CommandFailure) -> ExitStatus {
        let errors = ErrorLog(session.console)
        if interval != nil { for service in session.services { try session.access.check(service.service) } }
        let manager = session.serviceManager
        stop.whenStopped { manager.stopping() }
        try metrics?.start()
        var isReady = false
        while true {
            if !isReady, try canRead(&stores, errors: errors) {
                isReady = true
                manager.ready("submitting")
            }
            guard let interval else {
                let status = try await submit(&stores, errors: errors)
                return stop.number.map { .signal($0) } ?? status
            }
            try beginSubmits(&stores, errors: errors)
            await stop.pause(interval)
            // A stop is how a watch ends.
            guard stop.number != nil else { continue }
            for store in stores.values { await store.flushes.ended() }
            return .success
        }
    }

    /// Whether the directory can be used, and every store in it be read.
    private func canRead(_ stores: inout Stores, errors: ErrorLog) throws(CommandFailure) -> Bool {
        var areReadable = true
        for service in try existingServices(errors) {
            let records = try recordsStored(try store(service, in: &stores).pipeline, errors: errors)
            areReadable = areReadable && records != nil
        }
        return areReadable && !errors.areCurrent(for: Self.directory)
    }

    private func store(
        _ service: StreamServiceDescription,
        in stores: inout Stores
    ) throws(CommandFailure) -> Store {
        if let store = stores[service.name] { return store }
        let store = try open(service)
        stores[service.name] = store
        return store
    }

    /// The stores opened so far, by service.
    private typealias Stores = [String: Store]

    private struct Store {
        let pipeline: RecordPipeline
        let flushes: StoppableFlush
        let progress: SubmitProgress
    }

    private func submit(_ stores: inout Stores, errors: ErrorLog) async throws(CommandFailure) -> ExitStatus {
        var status = ExitStatus.success
        var isEmpty = true
        for service in try existingServices(errors) where stop.number == nil {
            let store = try store(service, in: &stores)
            guard let records = try recordsStored(store.pipeline, errors: errors), records > 0 else { continue }
            isEmpty = false
            store.progress.begin(records: records)
            let start = ContinuousClock.now
            let outcome = await store.flushes.run()
            end(outcome, of: store, since: start, errors: errors)
            if status == .success, let failed = outcome.status { status = failed }
        }
        if isEmpty { session.console.report(try session.nothingStored()) }
        return status
    }

    /// Begins to send what is due. The watch goes on meanwhile, so that a stream that is slow or fails delays no other one.
    private func beginSubmits(_ stores: inout Stores, errors: ErrorLog) throws(CommandFailure) {
        for service in try existingServices(errors) where stop.number == nil {
            let store = try store(service, in: &stores)
            guard let records = try recordsStored(store.pipeline, errors: errors), records > 0 else { continue }
            // What is shown belongs to the submit that is running.
            if store.flushes.isIdle { store.progress.begin(records: records) }
            let start = ContinuousClock.now
            store.flushes.begin(.due) { outcome in
                end(outcome, of: store, since: start, errors: errors)
                tellManager(errors)
            }
        }
        if stores.values.allSatisfy(\.flushes.isIdle) { tellManager(errors) }
    }

    private func tellManager(_ errors: ErrorLog) {
        session.serviceManager.status(errors.current ?? "everything stored before the last submit was sent")
    }

    /// The services that have a store. A watch waits for a directory that cannot be used, after it has said so.
    private func existingServices(_ errors: ErrorLog) throws(CommandFailure) -> [StreamServiceDescription] {
        do {
            let found = try session.existingStores().map(\.service)
            errors.update([], for: Self.directory, recovery: "it can be used again.")
            return found
        } catch {
            guard interval != nil else { throw error }
            errors.update([SendError(text: error.message)], for: Self.directory)
            return []
        }
    }

    /// What its errors are printed for.
    private static let directory = "directory"

    private func open(_ service: StreamServiceDescription) throws(CommandFailure) -> Store {
        let progress = SubmitProgress(title: service.name, console: session.console)
        let policy = try session.sendingPolicy(for: service, of: session.services)
        let pipeline = try session.pipeline(for: service, policy: policy, metrics: metrics) { [tally] event in
            progress.handle(event)
            tally.handle(event)
        }
        return Store(pipeline: pipeline, flushes: StoppableFlush(pipeline, stop: stop), progress: progress)
    }

    /// nil if the store cannot be read and a watch will try again: it is locked, for example, or the disk is full.
    private func recordsStored(
        _ pipeline: RecordPipeline,
        errors: ErrorLog
    ) throws(CommandFailure) -> Int? {
        do {
            let records = try pipeline.stored(in: session.selection).records
            if records == 0 {
                errors.update([], for: pipeline.service.name, recovery: FlushOutcome.nothingLeft)
                metrics?.run.countSuccess(of: pipeline.service.name)
            }
            return records
        } catch {
            guard interval != nil else { throw CommandFailure(error) }
            errors.update([SendError(text: error.sentence)], for: pipeline.service.name)
            return nil
        }
    }

    private func end(
        _ outcome: FlushOutcome,
        of store: Store,
        since start: ContinuousClock.Instant,
        errors: ErrorLog
    ) {
        let (pipeline, progress) = (store.pipeline, store.progress)
        progress.end()
        metrics?.submitted(pipeline.service.name, outcome, since: start)
        // A signal is no news of the errors before.
        let hasChanged =
            !outcome.isStopped
            && errors.update(
                outcome.errors,
                omitted: outcome.omitted,
                for: pipeline.service.name,
                recovery: outcome.recovery
            )
        // A watch prints no summary while the same errors persist and nothing is delivered.
        let isRepeated = interval != nil && stop.number == nil && !hasChanged
        guard !isRepeated || outcome.delivered > 0 else { return }
        session.console.report(
            progress.summary(
                of: outcome,
                left: (try? pipeline.stored(in: session.selection).records) ?? 0,
                elapsed: .now - start
            )
        )
    }
}

/// The errors of a command, by what they are of. Each is printed once, and so is their end.
private final class ErrorLog: Sendable {
    private let console: Console
    private let printed = Locked<[String: PrintedErrors]>([:])

    /// One of the current errors; nil if there is none.
    var current: String? {
        printed.withLock { printed in
            printed.sorted { $0.key < $1.key }.lazy.compactMap { service, errors in
                errors.current.first.map { "\(service): \($0.text)" }
            }.first
        }
    }

    init(_ console: Console) {
        self.console = console
    }

    func areCurrent(for service: String) -> Bool { printed.withLock { $0[service]?.current.isEmpty == false } }

    /// Prints what is new among the errors of a service, or `recovery` if there are none any more. Returns whether they differ from
    /// those before.
    @discardableResult
    func update(
        _ errors: [SendError],
        omitted: Set<String> = [],
        for service: String,
        recovery: String? = nil
    ) -> Bool {
        let change = printed.withLock { $0[service, default: PrintedErrors()].update(errors, omitted: omitted) }
        for error in change.new { console.error("\(service): \(error.text)") }
        if change.haveEnded, let recovery { console.progress("\(service): \(recovery)") }
        return change.haveChanged
    }
}
