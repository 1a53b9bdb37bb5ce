package import AWSServiceClients
import AmplifyFoundation
package import Foundation
import RecorderAWS
import RecorderConcurrency
package import RecorderEngine

/// What `AmplifyKinesisClient` and `AmplifyFirehoseClient` have in common: all but their names.
///
/// The cache is the engine's store by the policy `RecorderPolicy.amplify`. Safe to use from any thread.
package final class RecordClient: Sendable {
    private let pipeline: RecordPipeline
    private let broadcast: EventBroadcast
    private let timer: FlushTimer?
    private let isEnabled = Locked(true)
    private let credentials: ProviderCredentials
    private let log: any Logger

    /// A client that is enabled, and flushes by itself as its settings say.
    ///
    /// - Parameters:
    ///   - service: where records go.
    ///   - name: the façade's, for the log.
    ///   - region: names the store, together with program and service.
    ///   - settings: the options.
    ///   - calls: those of the service's own client, whose retries and clock are shared.
    ///   - credentials: what the calls are signed with, asked for the error of the user's provider.
    /// - Throws: `RecordClientError` where there is no place for the store.
    package init(
        _ service: StreamServiceDescription,
        name: String,
        region: String,
        _ settings: RecordClientSettings,
        calls: ClientCalls,
        _ credentials: ProviderCredentials
    ) throws(RecordClientError) {
        let location = try Self.location(service, region, settings)
        var policy = RecorderPolicy.amplify(
            service,
            cacheBytes: settings.cacheMaxBytes,
            maxRetries: settings.maxRetries
        )
        if settings.flushDrains { policy.batchesPerStream = nil }
        let broadcast = EventBroadcast()
        let log = AmplifyLogging.logger(for: name)
        pipeline = RecordPipeline(
            service,
            store: RecordStore(at: { location }),
            policy: policy,
            caller: { () throws(ConfigurationFailure) in try calls.caller },
            emit: { Self.tell($0, broadcast, log) }
        )
        self.broadcast = broadcast
        self.log = log
        self.credentials = credentials
        timer = settings.interval.map { FlushTimer(every: $0) }
        startTimer()
    }

    private static func location(
        _ service: StreamServiceDescription,
        _ region: String,
        _ settings: RecordClientSettings
    ) throws(RecordClientError) -> StoreLocation {
        do throws(RecorderError) {
            return try StoreLocation(
                service: "amplify-\(service.name)",
                key: region,
                directory: settings.storeDirectory,
                program: ProcessInfo.processInfo.processName,
                environment: ProcessInfo.processInfo.environment
            )
        } catch {
            throw RecordClientError(error)
        }
    }

    /// Stops the timer, cancels an automatic flush under way and ends `events()`. The files close with the last call.
    package func close() {
        timer?.stop()
        broadcast.finish()
    }

    // MARK: - what users call

    package func record(
        _ data: Data,
        partitionKey: String?,
        streamName: String
    ) async throws(RecordClientError) -> RecordData {
        guard isEnabled.withLock({ $0 }) else {
            log.debug("A record was dropped, because the client is disabled")
            return RecordData()
        }
        let start = ContinuousClock.now
        let result: Result<Void, RecorderError>
        do throws(RecorderError) {
            try await pipeline.save(data, stream: streamName, partitionKey: partitionKey)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try succeed("record") { () throws(RecorderError) in try result.get() }
        log.debug("A record of \(data.count) bytes for \(streamName) was cached in \(start.milliseconds) ms")
        return RecordData()
    }

    package func flush() async throws(RecordClientError) -> FlushData {
        log.verbose("A flush begins")
        return try await send { (pipeline) async throws(RecorderError) in try await pipeline.flushIfFree() }
    }

    package func drain() async throws(RecordClientError) -> FlushData {
        log.verbose("A drain begins")
        return try await send { (pipeline) async throws(RecorderError) in try await pipeline.drain() }
    }

    package func clearCache() async throws(RecordClientError) -> ClearCacheData {
        let result: Result<Int, RecorderError> = await withCheckedContinuation { continuation in
            pipeline.clear { continuation.resume(returning: $0) }
        }
        let count = try succeed("clearCache") { () throws(RecorderError) in try result.get() }
        log.debug("\(count) records were cleared")
        return ClearCacheData(recordsCleared: count)
    }

    package func enable() {
        isEnabled.withLock { $0 = true }
        startTimer()
        log.info("The client is enabled")
    }

    /// A flush under way goes on to its end.
    package func disable() {
        isEnabled.withLock { $0 = false }
        timer?.pause()
        log.info("The client is disabled; what is cached stays")
    }

    package func events() -> AsyncStream<RecordEvent> { broadcast.stream() }

    // MARK: - how it is done

    private func startTimer() {
        timer?.start { [weak self] in
            // An error is in the log already; the next flush comes in any case.
            _ = try? await self?.flush()
        }
    }

    private func send(
        _ flush: (RecordPipeline) async throws(RecorderError) -> FlushReport
    ) async throws(RecordClientError) -> FlushData {
        let start = ContinuousClock.now
        do throws(RecorderError) {
            let report = try await flush(pipeline)
            // Trouble without the service's answer ends a flush. Failures that the service answered are told by `events()`,
            // but of an answer that leaves open what was taken the caller must know.
            let failure =
                report.failures.first { !$0.error.isAnswer } ?? report.failures.first(where: \.error.isUnproven)
            if let failure { throw failure.error }
            log.debug(
                report.isBusy
                    ? "A flush is under way already"
                    : "\(report.delivered) records were flushed in \(start.milliseconds) ms"
            )
            return FlushData(recordsFlushed: report.delivered, flushInProgress: report.isBusy)
        } catch {
            throw failed("flush", error)
        }
    }

    private func succeed<T>(
        _ call: String,
        _ body: () throws(RecorderError) -> T
    ) throws(RecordClientError) -> T {
        do throws(RecorderError) {
            return try body()
        } catch {
            throw failed(call, error)
        }
    }

    private func failed(_ call: String, _ error: RecorderError) -> RecordClientError {
        let error = RecordClientError(error, credentialsError: credentials.lastError)
        log.warn("\(call) failed: \(error.description)")
        return error
    }

    private static func tell(_ event: RecorderEvent, _ broadcast: EventBroadcast, _ log: any Logger) {
        for event in RecordEvent.all(for: event) {
            broadcast.send(event)
            event.write(to: log)
        }
    }
}

extension ContinuousClock.Instant {
    fileprivate var milliseconds: Int { Int((ContinuousClock.now - self) / .milliseconds(1)) }
}
