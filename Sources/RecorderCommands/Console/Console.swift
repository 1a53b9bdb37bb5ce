import Glibc
import RecorderAWS
import RecorderConcurrency

/// Standard output for results, standard error for errors and progress.
///
/// Safe to use from any thread. A failed write does not stop the command: `lostOutput` holds the error until the end.
final class Console: Sendable {
    /// Whether progress can be redrawn in one line of a terminal.
    let hasBar: Bool

    private let quiet: Bool
    private let style: LogStyle
    /// Whether standard output is for JSON only, or for nothing.
    private let logsReports: Bool
    /// Whether the last line of the terminal is a bar.
    private let showsBar = Locked(false)
    private let outputError = Locked<Int32?>(nil)

    init(_ style: LogStyle, quiet: Bool = false, printsJSON: Bool = false, environment: [String: String]) {
        self.quiet = quiet
        self.style = style
        logsReports = printsJSON || style.format == .json
        hasBar = !quiet && style.format == .text && isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
        signal(SIGPIPE, SIG_IGN)
    }

    /// The columns of the terminal.
    var width: Int {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The number of the first error of a write to standard output.
    var lostOutput: Int32? { outputError.withLock { $0 } }

    /// Prints the result of a command: lines of text.
    func print(_ text: String) {
        printEscaped(Visible.lines(text))
    }

    /// Prints the result of a command as JSON.
    func print(json text: String) {
        printEscaped(Visible.json(text))
    }

    /// Prints bytes as they are; false if they cannot be written.
    func print(bytes: [UInt8]) -> Bool {
        guard let error = Output.write(bytes, to: STDOUT_FILENO) else { return true }
        outputError.withLock { $0 = $0 ?? error }
        return false
    }

    /// Prints a summary, unless --quiet was given; on standard error if standard output is for JSON.
    func report(_ text: String) {
        if logsReports { progress(text) } else if !quiet { print(text) }
    }

    /// Prints a line about progress, unless --quiet was given.
    func progress(_ text: String) {
        if !quiet { log(text, .info) }
    }

    /// Prints a question, which is answered in the same line.
    func ask(_ text: String) {
        write(Visible.line(text), to: STDERR_FILENO)
    }

    /// Prints an error in one line, with --quiet too; `hint` may have more lines.
    func error(_ text: String, hint: String? = nil) {
        log(text, .error, hint: hint)
    }

    /// Prints a warning in one line, with --quiet too: something that is no failure, or that goes on by itself.
    func warning(_ text: String) {
        log(text, .warning)
    }

    /// Prints a line in the format that was asked for, with --quiet too.
    func log(_ text: String, _ level: RecorderLog.Level, hint: String? = nil) {
        write(style.line(text, level, hint: hint), to: STDERR_FILENO)
    }

    /// Draws the bar in place of the one before.
    func bar(_ text: String) {
        guard hasBar else { return }
        showsBar.withLock { shown in
            shown = true
            Output.write("\r\u{1B}[2K\(text)", to: STDERR_FILENO)
        }
    }

    /// Removes the bar.
    func endBar() {
        showsBar.withLock { Self.erase(&$0) }
    }

    private func printEscaped(_ text: String) {
        guard let error = write("\(text)\n", to: STDOUT_FILENO) else { return }
        outputError.withLock { $0 = $0 ?? error }
    }

    @discardableResult
    private func write(_ text: String, to file: Int32) -> Int32? {
        showsBar.withLock { shown in
            Self.erase(&shown)
            return Output.write(text, to: file)
        }
    }

    private static func erase(_ shown: inout Bool) {
        if shown { Output.write("\r\u{1B}[2K", to: STDERR_FILENO) }
        shown = false
    }
}
