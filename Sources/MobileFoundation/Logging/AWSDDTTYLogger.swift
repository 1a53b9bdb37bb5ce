import Foundation

/// Writes messages to standard error, one line each: time, level, text.
///
/// A formatter replaces the whole line. Under systemd, the lines go to the journal.
public final class AWSDDTTYLogger: AWSDDAbstractLogger, @unchecked Sendable {
    // Safe because the superclass's state is behind a lock, and it adds none.

    /// The shared instance.
    public static var sharedInstance: AWSDDTTYLogger! { shared }

    private static let shared = AWSDDTTYLogger()

    private override init() {}

    /// Writes a message.
    public override func log(message logMessage: AWSDDLogMessage) {
        guard let text = text(of: logMessage) else { return }
        // If standard error is closed or full, there is nowhere else to report it.
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}

/// Replaces Apple's system logs with standard error.
@available(*, deprecated, renamed: "AWSDDTTYLogger")
public typealias AWSDDOSLogger = AWSDDTTYLogger

/// Replaces Apple's system logs with standard error.
@available(*, deprecated, renamed: "AWSDDTTYLogger")
public typealias AWSDDASLLogger = AWSDDTTYLogger
