public import Foundation
public import KinesisRecorders

/// Takes readings, keeps each on disk, and sends them when the network is there.
public struct Gateway: Sendable {
    private let recorder: AWSKinesisRecorder
    private let stream: String
    private let takeReading: @Sendable () async throws -> Data

    /// The time between two readings.
    public var readingPause = Duration.seconds(1)
    /// The time between two submits.
    public var submitPause = Duration.seconds(10)
    /// How long the last submit may take; less than the unit's `TimeoutStopSec`.
    public var lastSubmit = Duration.seconds(20)

    /// A gateway for a stream; `takeReading` waits for the next reading.
    public init(
        recorder: AWSKinesisRecorder,
        stream: String,
        takeReading: @escaping @Sendable () async throws -> Data
    ) {
        self.recorder = recorder
        self.stream = stream
        self.takeReading = takeReading
    }

    /// Runs until the task is cancelled, and then sends what is left.
    public func run() async {
        await withTaskGroup { group in
            group.addTask { await every(readingPause) { try await recorder.save(takeReading(), to: stream) } }
            group.addTask { await every(submitPause) { try await recorder.submit() } }
        }
        // A task of its own, because this one is cancelled.
        let submit = Task { try await recorder.submit() }
        let alarm = Task {
            try await Task.sleep(for: lastSubmit)
            submit.cancel()
        }
        await Self.report { try await submit.value }
        alarm.cancel()
    }

    private func every(_ pause: Duration, _ action: () async throws -> Void) async {
        while !Task.isCancelled {
            await Self.report(action)
            try? await Task.sleep(for: pause)
        }
    }

    /// A failure ends nothing: what is on disk stays for the next submit.
    private static func report(_ action: () async throws -> Void) async {
        do {
            try await action()
        } catch is CancellationError {
            // The gateway stops.
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("\(error.localizedDescription)\n".utf8))
        }
    }
}
