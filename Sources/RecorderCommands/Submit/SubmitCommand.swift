import RecorderEngine

/// `submit`: sends what is stored, once or repeatedly.
struct SubmitCommand: Command {
    static let spec = CommandSpec(
        name: "submit",
        summary: "send the stored records",
        options: [.onlyKinesis, .onlyFirehose, .watch, .requests, .gzip, .cbor, .batchSize, .omitKeys, .quiet]
            + OptionSpec.store + OptionSpec.service,
        details: """
            A record is deleted from disk only after the service has answered for it. A terminal shows a progress bar \
            with the rate and the time left; otherwise a line is printed every five seconds. After a signal, requests \
            under way have 8 seconds to be answered; a second signal ends the program at once.
            """,
        examples: [
            .init(line: "kinesis-recorder submit", meaning: "everything, once"),
            .init(line: "kinesis-recorder submit --watch 60", meaning: "everything, every minute, until stopped"),
        ]
    )

    private let session: Session
    private let policy: RecorderPolicy
    /// The pause of a watch; nil to submit once.
    private let interval: Duration?
    private let stop = StopSignal.shared

    init(_ session: Session) throws(CommandFailure) {
        self.session = session
        policy = try session.sendingPolicy()
        interval = try session.invocation.number(.watch, from: 1, to: 365 * 86_400).map { .seconds($0) }
    }

    func run() async throws(CommandFailure) -> ExitStatus {
        var stores = Stores()
        var errors = ErrorLog(session.console)
        while true {
            let status = try await submit(&stores, errors: &errors)
            if let number = stop.number { return .signal(number) }
            guard let interval else { return status }
            await stop.pause(interval)
            if let number = stop.number { return .signal(number) }
        }
    }

    /// The stores opened so far, by service.
    private typealias Stores = [String: Store]

    private struct Store {
        let pipeline: RecordPipeline
        let flushes: StoppableFlush
        let progress: SubmitProgress
    }

    private func submit(_ stores: inout Stores, errors: inout ErrorLog) async throws(CommandFailure) -> ExitStatus {
        var status = ExitStatus.success
        var isEmpty = true
        for (service, _) in try session.existingStores() where stop.number == nil {
            if stores[service.name] == nil { stores[service.name] = try open(service) }
            guard let store = stores[service.name] else { continue }
            guard let records = try recordsStored(store.pipeline, errors: &errors), records > 0 else { continue }
            isEmpty = false
            let failed = await submit(store, records: records, errors: &errors)
            if status == .success, let failed { status = failed }
        }
        if isEmpty, interval == nil { session.console.report("nothing is stored.") }
        return status
    }

    private func open(_ service: StreamServiceDescription) throws(CommandFailure) -> Store {
        let progress = SubmitProgress(title: service.name, console: session.console)
        let pipeline = try session.pipeline(for: service, policy: policy) { progress.handle($0) }
        return Store(pipeline: pipeline, flushes: StoppableFlush(pipeline, stop: stop), progress: progress)
    }

    /// nil if the store cannot be read and a watch will try again: it is locked, for example, or the disk is full.
    private func recordsStored(
        _ pipeline: RecordPipeline,
        errors: inout ErrorLog
    ) throws(CommandFailure) -> Int? {
        do {
            let records = try pipeline.totals().records
            if records == 0 { errors.update([], for: pipeline.service.name) }
            return records
        } catch {
            guard interval != nil else { throw CommandFailure(error) }
            errors.update([error.message], for: pipeline.service.name)
            return nil
        }
    }

    private func submit(_ store: Store, records: Int, errors: inout ErrorLog) async -> ExitStatus? {
        let (pipeline, progress) = (store.pipeline, store.progress)
        progress.begin(records: records)
        let outcome = await store.flushes.run()
        progress.end()
        let hasChanged = errors.update(outcome.errors, for: pipeline.service.name)
        // A watch prints no summary while the same errors persist and nothing is delivered.
        let isRepeated = interval != nil && stop.number == nil && !hasChanged
        guard !isRepeated || outcome.delivered > 0 else { return outcome.status }
        session.console.report(progress.summary(of: outcome, left: (try? pipeline.totals().records) ?? 0))
        return outcome.status
    }
}

extension OptionSpec {
    fileprivate static let watch = OptionSpec(
        "watch",
        letter: "w",
        value: "SECONDS",
        help: "submit again after this many seconds, until stopped"
    )
}

/// The errors that a watch has printed: each is printed once, and its end is too.
private struct ErrorLog {
    private let console: Console
    private var printed: [String: [String]] = [:]

    init(_ console: Console) {
        self.console = console
    }

    /// Prints what is new among the current errors of a service. Returns whether they differ from those before.
    @discardableResult
    mutating func update(_ errors: [String], for service: String) -> Bool {
        let before = printed.updateValue(errors, forKey: service) ?? []
        for error in errors where !before.contains(error) { console.error("\(service): \(error)") }
        if errors.isEmpty, !before.isEmpty { console.progress("\(service): sending works again.") }
        return errors != before
    }
}
