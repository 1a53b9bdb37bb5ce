import Foundation
import RecorderConcurrency

/// Standard output for results, standard error for troubles and progress.
///
/// Safe to use from any thread. A reader that went away (`| head`) is no trouble: what it would have read is dropped.
final class Console: Sendable {
    /// Whether progress can be drawn over and over in one line.
    let hasBar: Bool

    private let quiet: Bool
    /// Whether a bar stands in the last line of the terminal.
    private let showsBar = Locked(false)

    init(quiet: Bool, environment: [String: String]) {
        self.quiet = quiet
        hasBar = !quiet && isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
        signal(SIGPIPE, SIG_IGN)
    }

    /// The columns of the terminal.
    var width: Int {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// What was asked for.
    func print(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// What came of it, unless that is not wanted.
    func report(_ text: String) {
        if !quiet { print(text) }
    }

    /// How far it is, where no bar can be drawn.
    func progress(_ text: String) {
        if !quiet { write("\(text)\n", to: STDERR_FILENO) }
    }

    /// A question that is answered in the same line.
    func ask(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    /// What went wrong, quiet or not.
    func error(_ text: String) {
        write("\(CommandTable.program): \(text)\n", to: STDERR_FILENO)
    }

    /// Draws over the bar that stands there.
    func bar(_ text: String) {
        guard hasBar else { return }
        showsBar.withLock { shown in
            shown = true
            Self.writeAll("\r\u{1B}[2K\(text)", to: STDERR_FILENO)
        }
    }

    /// Takes the bar away.
    func endBar() {
        showsBar.withLock { Self.erase(&$0) }
    }

    private func write(_ text: String, to file: Int32) {
        showsBar.withLock { shown in
            Self.erase(&shown)
            Self.writeAll(text, to: file)
        }
    }

    private static func erase(_ shown: inout Bool) {
        if shown { writeAll("\r\u{1B}[2K", to: STDERR_FILENO) }
        shown = false
    }

    private static func writeAll(_ text: String, to file: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            guard written > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(written, 0))
        }
    }
}
