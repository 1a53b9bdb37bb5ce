package import Foundation
import RecorderConcurrency

/// Waits for a process to exit without polling: `Process.waitUntilExit` polls, and keeps a processor busy.
package final class ProcessEnd: Sendable {
    private let running = DispatchGroup()

    /// Starts the process.
    package init(starting process: Process) throws {
        running.enter()
        process.terminationHandler = { [running] _ in running.leave() }
        do {
            try process.start()
        } catch {
            running.leave()
            throw error
        }
    }

    /// Blocks the calling thread until the process has ended.
    package func wait() { running.wait() }

    /// Returns once the process has ended.
    package func finished() async {
        await withCheckedContinuation { continuation in
            running.notify(queue: .global()) { continuation.resume() }
        }
    }
}

extension Process {
    private static let starts = Locked(())

    /// Starts the process while no other one is started: it would inherit the socket by which that one's end is noticed, and hold
    /// it open.
    package func start() throws {
        try Self.starts.withLock { _ in try run() }
    }
}
