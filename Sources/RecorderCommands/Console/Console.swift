import Foundation
import RecorderAWS
import RecorderConcurrency

/// Standard output for results, standard error for errors and progress.
///
/// Safe to use from any thread. Output that cannot be written ends nothing: the work goes on, and `lostOutput` tells it at
/// the end.
final class Console: Sendable {
    /// Whether progress can be drawn over and over in one line.
    let hasBar: Bool

    private let quiet: Bool
    /// Whether a bar stands in the last line of the terminal.
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

    /// Why standard output did not take everything: the first error's number.
    var lostOutput: Int32? { outputError.withLock { $0 } }

    /// What was asked for: lines of text.
    func print(_ text: String) {
        printAsIs(Visible.lines(text))
    }

    /// The same as JSON, where escapes are those of JSON.
    func print(json text: String) {
        printAsIs(Visible.json(text))
    }

    /// What came of it, unless that is not wanted.
    func report(_ text: String) {
        if !quiet { print(text) }
    }

    /// How far it is, where no bar can be drawn.
    func progress(_ text: String) {
        if !quiet { write("\(Visible.line(text))\n", to: STDERR_FILENO) }
    }

    /// A question that is answered in the same line.
    func ask(_ text: String) {
        write(Visible.line(text), to: STDERR_FILENO)
    }

    /// What went wrong, quiet or not, in one line; `hint` may have more.
    func error(_ text: String, hint: String? = nil) {
        let hint = hint.map { Visible.lines($0) + "\n" } ?? ""
        write("\(CommandTable.program): \(Visible.line(text))\n\(hint)", to: STDERR_FILENO)
    }

    /// Draws over the bar that stands there.
    func bar(_ text: String) {
        guard hasBar else { return }
        showsBar.withLock { shown in
            shown = true
            Output.write("\r\u{1B}[2K\(text)", to: STDERR_FILENO)
        }
    }

    /// Takes the bar away.
    func endBar() {
        showsBar.withLock { Self.erase(&$0) }
    }

    private func printAsIs(_ text: String) {
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
