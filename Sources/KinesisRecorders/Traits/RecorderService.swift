#if ServiceLifecycle
    import Foundation
    import RecorderAWS
    public import ServiceLifecycle

    /// Submits a recorder's records again and again, and sends what is left when the program shuts down.
    ///
    /// ```
    /// let group = ServiceGroup(services: [RecorderService(recorder)], gracefulShutdownSignals: [.sigterm], logger: logger)
    /// try await group.run()
    /// ```
    /// A failed submit does not end the service: records stay on disk, a warning says why once, and the next submit tries again.
    /// On a graceful shutdown a last submit starts; what it does not deliver within ``drainDeadline`` stays on disk for the next
    /// start. When its task is cancelled, the service returns at once.
    ///
    /// Place it before the services that save records: a group shuts down the last one first.
    public struct RecorderService: Service {
        /// The pause after each submit; one second by default.
        public let interval: Duration

        /// How long the last submit may take; ten seconds by default.
        public let drainDeadline: Duration

        private let recorder: AWSAbstractKinesisRecorder

        /// A service for one recorder.
        ///
        /// - Parameters:
        ///   - recorder: a recorder of Kinesis or Firehose.
        ///   - interval: the pause after each submit; must be positive.
        ///   - drainDeadline: how long the last submit may take; zero sends nothing more.
        public init(
            _ recorder: AWSAbstractKinesisRecorder,
            interval: Duration = .seconds(1),
            drainDeadline: Duration = .seconds(10)
        ) {
            precondition(interval > .zero, "RecorderService: the interval must be positive, it is \(interval)")
            self.recorder = recorder
            self.interval = interval
            self.drainDeadline = drainDeadline
        }

        /// Runs until the program shuts down or the task is cancelled. Throws nothing.
        public func run() async throws {
            await cancelWhenGracefulShutdown { await submitRepeatedly() }
            if Task.isCancelled || drainDeadline <= .zero { return }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await submit(isRepeated: false) }
                group.addTask { try? await Task.sleep(for: drainDeadline) }
                await group.next()
                group.cancelAll()
            }
        }

        private func submitRepeatedly() async {
            var didSucceed = true
            while !Task.isCancelled {
                didSucceed = await submit(isRepeated: !didSucceed)
                try? await Task.sleep(for: interval)
            }
        }

        /// Returns whether the submit succeeded. A repeated failure is not logged as a warning.
        @discardableResult
        private func submit(isRepeated: Bool) async -> Bool {
            do {
                try await recorder.submit()
                return true
            } catch {
                if Task.isCancelled { return false }
                let text =
                    "A submit of the RecorderService failed; the records stay on disk: \(error.localizedDescription)"
                if isRepeated { RecorderLog.debug(text) } else { RecorderLog.warning(text) }
                return false
            }
        }
    }
#endif
