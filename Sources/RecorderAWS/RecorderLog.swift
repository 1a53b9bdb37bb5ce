import Foundation
import RecorderConcurrency

/// The few lines that this package says on its own: to standard error, unless a test listens.
package enum RecorderLog {
    /// Takes one finished line, without its line end. Called on the thread that has something to say.
    package typealias Sink = @Sendable (_ line: String) -> Void

    private static let sink = Locked<Sink?>(nil)

    /// Says what is wrong and how to mend it, as one line: `recorder: warning: ...`.
    package static func warning(_ message: String) {
        let line = "recorder: warning: " + Legible.text(message, limit: 2048)
        if let sink = sink.withLock({ $0 }) {
            sink(line)
        } else {
            FileHandle.standardError.write(Data((line + "\n").utf8))
        }
    }

    /// Sends the lines elsewhere, or back to standard error if nil; gives the sink that was there before.
    @discardableResult
    package static func replaceSink(_ new: Sink?) -> Sink? {
        sink.withLock { sink in
            let old = sink
            sink = new
            return old
        }
    }
}
