import FoundationEssentials
import Glibc
import RecorderAWS

/// How a line on standard error looks.
struct LogStyle: Sendable {
    enum Format: String, Sendable, CaseIterable {
        case text, json
    }

    private enum Prefix {
        case none, time
        /// The priority of syslog in angle brackets, which systemd's journal takes off: sd-daemon(3).
        case priority
    }

    let format: Format
    private let prefix: Prefix

    /// Lines have a time if the command runs for long and a file or a pipe gets them. The journal has its own times.
    init(_ format: Format = .text, isLongRun: Bool = false, environment: [String: String]) {
        self.format = format
        if Self.isJournal(STDERR_FILENO, environment) {
            prefix = .priority
        } else {
            prefix = isLongRun && isatty(STDERR_FILENO) == 0 ? .time : .none
        }
    }

    /// Whether a descriptor goes to systemd's journal, as `JOURNAL_STREAM` says: systemd.exec(5).
    private static func isJournal(_ file: Int32, _ environment: [String: String]) -> Bool {
        var status = stat()
        guard let journal = environment["JOURNAL_STREAM"], unsafe fstat(file, &status) == 0 else { return false }
        return journal == "\(status.st_dev):\(status.st_ino)"
    }

    /// A message as one line, with its line end; `hint` may have more lines.
    func line(_ message: String, _ level: RecorderLog.Level, hint: String? = nil) -> String {
        let lines =
            switch format {
            case .text: [text(Visible.line(message), level)] + (hint.map { [Visible.lines($0)] } ?? [])
            case .json: [Self.json(message, level, hint: hint)]
            }
        return lines.joined(separator: "\n").split(separator: "\n", omittingEmptySubsequences: false)
            .map { (prefix == .priority ? "<\(level.priority)>" : "") + $0 + "\n" }.joined()
    }

    private func text(_ message: String, _ level: RecorderLog.Level) -> String {
        let time = prefix == .time ? "\(Date().formatted(.iso8601)) " : ""
        return switch level {
        case .error: "\(time)\(Program.name): \(message)"
        case .warning: "\(time)\(Program.name): warning: \(message)"
        case .info, .debug, .verbose: time + message
        }
    }

    private struct Line: Encodable {
        let time: String
        let level: String
        let message: String
        let hint: String?
    }

    private static func json(_ message: String, _ level: RecorderLog.Level, hint: String?) -> String {
        let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        let line = Line(time: time, level: "\(level)", message: Visible.line(message), hint: hint)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings can always be encoded.
        return (try? encoder.encode(line)).map { Visible.json(String(decoding: $0, as: UTF8.self)) } ?? "{}"
    }
}

extension RecorderLog.Level {
    /// The number of syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .error: 3
        case .warning: 4
        case .info: 6
        case .debug, .verbose: 7
        }
    }
}
