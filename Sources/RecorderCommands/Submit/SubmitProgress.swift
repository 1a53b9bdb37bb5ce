import RecorderConcurrency
import RecorderStore

/// Shows the progress of a submit: a bar on a terminal, otherwise a line every five seconds.
final class SubmitProgress: Sendable {
    private struct State {
        var total = 0
        var lastShown = ContinuousClock.now
    }

    private let title: String
    private let console: Console
    private let discards: DiscardLog
    private let state = Locked(State())

    init(title: String, console: Console) {
        self.title = title
        self.console = console
        discards = DiscardLog(console)
    }

    /// A submit of `records` begins.
    func begin(records: Int) {
        state.withLock { $0 = State(total: records) }
        guard console.hasBar else { return }
        console.bar(ProgressLine(title: title, delivered: 0, total: records, elapsed: .zero).bar(width: console.width))
    }

    func handle(_ event: RecorderEvent) {
        discards.handle(event)
        guard case .settled(let progress) = event else { return }
        let interval: Duration = console.hasBar ? .milliseconds(100) : .seconds(5)
        let total = state.withLock { state -> Int? in
            guard ContinuousClock.now - state.lastShown >= interval else { return nil }
            state.lastShown = .now
            return max(state.total, progress.delivered)
        }
        guard let total else { return }
        let line = ProgressLine(title: title, delivered: progress.delivered, total: total, elapsed: progress.elapsed)
        if console.hasBar { console.bar(line.bar(width: console.width)) } else { console.progress(line.text) }
    }

    func end() {
        console.endBar()
        discards.finish()
    }

    /// The line that remains on the screen.
    func summary(of outcome: FlushOutcome, left: Int, elapsed: Duration) -> String {
        var text = "\(title): \(Formatting.records(outcome.delivered)) delivered in \(Formatting.elapsed(elapsed))"
        if outcome.delivered > 0 { text += " (\(Formatting.rate(outcome.delivered, in: elapsed)))" }
        if outcome.entries < outcome.delivered { text += ", \(Formatting.entries(outcome.entries))" }
        if left > 0 { text += "; \(Formatting.count(left)) left" }
        return text
    }
}

/// The progress at one moment, as one line of text.
package struct ProgressLine {
    private let title: String
    private let delivered: Int
    private let total: Int
    private let elapsed: Duration

    package init(title: String, delivered: Int, total: Int, elapsed: Duration) {
        self.title = title
        self.delivered = delivered
        self.total = total
        self.elapsed = elapsed
    }

    var text: String {
        "\(title): \(Formatting.count(delivered)) of \(Formatting.records(total)) delivered, \(rate)\(timeLeft)"
    }

    /// A bar that is shorter than `width` columns; text only where that is too narrow for one.
    package func bar(width: Int) -> String {
        let share = total > 0 ? Double(delivered) / Double(total) : 1
        let text =
            " \(Int(share * 100)) %  \(Formatting.count(delivered)) of \(Formatting.count(total))  \(rate)\(timeLeft)"
        let columns = min(width - title.count - text.count - 4, 40)
        guard columns >= 5 else { return String("\(title)\(text)".prefix(max(width - 1, 1))) }
        let filled = Int(share * Double(columns))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: columns - filled)
        return "\(title) [\(bar)]\(text)"
    }

    private var rate: String { Formatting.rate(delivered, in: elapsed) }

    private var timeLeft: String {
        guard delivered > 0, delivered < total else { return "" }
        return ", \(Formatting.clock(elapsed / delivered * (total - delivered))) left"
    }
}
