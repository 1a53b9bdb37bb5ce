package import Foundation

/// Waits for a process to exit without polling: `Process.waitUntilExit` polls, and keeps a processor busy.
package final class ProcessEnd: Sendable {
    private let running = DispatchGroup()

    /// Starts the process.
    package init(starting process: Process) throws {
        running.enter()
        process.terminationHandler = { [running] _ in running.leave() }
        do {
            try process.run()
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
