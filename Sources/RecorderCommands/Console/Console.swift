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
    /// Whether the last line of the terminal is a bar.
    private let showsBar = Locked(false)
    private let outputError = Locked<Int32?>(nil)

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

    /// Prints a summary, unless --quiet was given.
    func report(_ text: String) {
        if !quiet { print(text) }
    }

    /// Prints a line about progress, unless --quiet was given.
    func progress(_ text: String) {
        if !quiet { write("\(Visible.line(text))\n", to: STDERR_FILENO) }
    }

    /// Prints a question, which is answered in the same line.
    func ask(_ text: String) {
        write(Visible.line(text), to: STDERR_FILENO)
    }

    /// Prints an error in one line, with --quiet too; `hint` may have more lines.
    func error(_ text: String, hint: String? = nil) {
        let hint = hint.map { Visible.lines($0) + "\n" } ?? ""
        write("\(Program.name): \(Visible.line(text))\n\(hint)", to: STDERR_FILENO)
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
