package import AWSServiceClients
package import Foundation
import RecordClientFoundation
package import RecorderAWS
import RecorderConcurrency
import RecorderEngine
package import RecorderStore

/// The common part of `AmplifyKinesisClient` and `AmplifyFirehoseClient`.
///
/// The cache is the engine's store with the policy `RecorderPolicy.amplify`. Safe to use from any thread.
package final class RecordClient: Sendable {
    private let pipeline: RecordPipeline
    private let broadcast: EventBroadcast
    private let timer: FlushTimer?
    private let isEnabled = Locked(true)
    private let log: any Logger

    /// A client that is enabled and flushes automatically according to its settings.
    ///
    /// - Parameters:
    ///   - service: The service that records are sent to.
    ///   - name: The name of the façade in the log.
    ///   - region: Part of the store's name, together with program and service.
    ///   - settings: The options.
    ///   - calls: Those of the service's own client, whose retries and clock are shared.
    /// - Throws: `RecordClientError` if there is no directory for the store.
    package init(
        _ service: StreamServiceDescription,
        name: String,
        region: String,
        settings: RecordClientSettings,
        calls: ClientCalls
    ) throws(RecordClientError) {
        let location = try Self.location(service, region: region, settings: settings)
        let broadcast = EventBroadcast()
        let log = AmplifyLogging.logger(for: name)
        pipeline = RecordPipeline(
            service,
            store: RecordStore(at: { location }),
            policy: settings.policy,
            caller: { () throws(ConfigurationFailure) in try calls.caller },
            region: { (try? calls.caller)?.region },
            emit: { event in
                for event in RecordEvent.all(for: event) {
                    broadcast.send(event)
                    event.write(to: log)
                }
            }
        )
        self.broadcast = broadcast
        self.log = log
        timer = settings.interval.map { FlushTimer(every: $0) }
        startTimer()
    }

    private static func location(
        _ service: StreamServiceDescription,
        region: String,
        settings: RecordClientSettings
    ) throws(RecordClientError) -> StoreLocation {
        do throws(RecorderError) {
            return try StoreLocation(
                service: "amplify-\(service.name)",
                key: region,
                directory: settings.storeDirectory,
                program: ProcessInfo.processInfo.processName
            )
        } catch {
            throw RecordClientError(error)
        }
    }

    /// Stops the timer, cancels an automatic flush in progress and ends `events()`. The files close with the last call.
    package func close() {
        timer?.stop()
        broadcast.finish()
    }

    // MARK: public operations

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
        do throws(RecorderError) {
            try await pipeline.save(data, stream: streamName, partitionKey: partitionKey)
        } catch {
            throw failure(of: "record", error)
        }
        log.debug(
            "A record of \(data.count) bytes for \(StreamName(unchecked: streamName)) was cached in \(start.milliseconds) ms"
        )
        return RecordData()
    }

    package func record(
        contentsOf payloads: [Data],
        partitionKey: String?,
        streamName: String
    ) async throws(RecordClientError) -> RecordData {
        guard isEnabled.withLock({ $0 }) else {
            log.debug("\(payloads.count) records were dropped, because the client is disabled")
            return RecordData()
        }
        let start = ContinuousClock.now
        do throws(RecorderError) {
            try await pipeline.save(contentsOf: payloads, stream: streamName, partitionKey: partitionKey)
        } catch {
            throw failure(of: "record", error)
        }
        log.debug(
            "\(payloads.count) records for \(StreamName(unchecked: streamName)) were cached in \(start.milliseconds) ms"
        )
        return RecordData()
    }

    package func flush() async throws(RecordClientError) -> FlushData {
        log.verbose("A flush begins")
        return try await send(everything: false)
    }

    package func drain() async throws(RecordClientError) -> FlushData {
        log.verbose("A drain begins")
        return try await send(everything: true)
    }

    package func clearCache() async throws(RecordClientError) -> ClearCacheData {
        do throws(RecorderError) {
            let count = try await pipeline.clear()
            log.debug("\(count) records were cleared")
            return ClearCacheData(recordsCleared: count)
        } catch {
            throw failure(of: "clearCache", error)
        }
    }

    package func enable() {
        isEnabled.withLock { $0 = true }
        startTimer()
        log.info("The client is enabled")
    }

    /// Pauses automatic flushes. A flush in progress continues.
    package func disable() {
        isEnabled.withLock { $0 = false }
        timer?.pause()
        log.info("The client is disabled; cached records stay")
    }

    package func events() -> AsyncStream<RecordEvent> { broadcast.stream() }

    // MARK: implementation

    private func startTimer() {
        timer?.start { [weak self] in
            // The error is already logged, and the next flush follows in any case.
            _ = try? await self?.flush()
        }
    }

    private func send(everything: Bool) async throws(RecordClientError) -> FlushData {
        let start = ContinuousClock.now
        do throws(RecorderError) {
            let report = everything ? try await pipeline.drain() : try await pipeline.flushIfFree()
            // Throws the error of a call without a response. Failures that the service returned are only events, except
            // responses that leave open which records were accepted: the caller must know about those.
            let failure =
                report.failures.first { !$0.error.isAnswer } ?? report.failures.first(where: \.error.isUnproven)
            if let failure { throw failure.error }
            log.debug(
                report.isBusy
                    ? "Another flush is in progress"
                    : "\(report.delivered) records were flushed in \(report.entries) entries in \(start.milliseconds) ms"
            )
            return FlushData(
                recordsFlushed: report.delivered,
                flushInProgress: report.isBusy,
                entriesFlushed: report.entries
            )
        } catch {
            throw failure(of: "flush", error)
        }
    }

    private func failure(of call: String, _ error: RecorderError) -> RecordClientError {
        let error = RecordClientError(error)
        log.warn("\(call) failed: \(error.description)")
        return error
    }
}

extension RecordClient {
    /// Validates a region's name before it is used in a configuration or a file name.
    package static func region(named name: String) throws(RecordClientError) -> Region {
        do {
            return try Region(name)
        } catch {
            throw .region(error)
        }
    }

    /// Completes a configuration after the user's changes: credentials, user agent and log.
    package static func prepare(
        _ configuration: AWSClientConfiguration,
        credentials: any AWSCredentialIdentityResolver,
        client: String,
        product: String
    ) {
        let version = AmplifyMetadata.version
        configuration.awsCredentialIdentityResolver = credentials
        let log = AmplifyLogging.logger(for: client)
        configuration.log = RequestLog { line in log.debug(line()) }
        configuration.userAgentSuffix = "lib/\(AmplifyMetadata.platformName)#\(version) md/\(product)#\(version)"
    }
}

extension ContinuousClock.Instant {
    fileprivate var milliseconds: Int { Int((ContinuousClock.now - self) / .milliseconds(1)) }
}
