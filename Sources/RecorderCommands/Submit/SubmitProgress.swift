import RecorderConcurrency
import RecorderEngine

/// Shows how far a submit is: a bar on a terminal, elsewhere a line every five seconds.
package final class SubmitProgress: Sendable {
    private struct State {
        var total = 0
        var start = ContinuousClock.now
        var lastShown = ContinuousClock.now
    }

    private let title: String
    private let console: Console
    private let discards: DiscardLog
    private let state = Locked(State())

    init(_ title: String, _ console: Console) {
        self.title = title
        self.console = console
        discards = DiscardLog(console)
    }

    /// A submit of so many records begins.
    func begin(_ records: Int) {
        state.withLock { $0 = State(total: records) }
        if console.hasBar { console.bar(Self.bar(title, 0, of: records, .zero, width: console.width)) }
    }

    func take(_ event: RecorderEvent) {
        discards.take(event)
        guard case .settled(let progress) = event else { return }
        let pause: Duration = console.hasBar ? .milliseconds(100) : .seconds(5)
        let total = state.withLock { state -> Int? in
            guard ContinuousClock.now - state.lastShown >= pause else { return nil }
            state.lastShown = .now
            return max(state.total, progress.delivered)
        }
        guard let total else { return }
        if console.hasBar {
            console.bar(Self.bar(title, progress.delivered, of: total, progress.elapsed, width: console.width))
        } else {
            console.progress(Self.line(title, progress.delivered, of: total, progress.elapsed))
        }
    }

    func end() {
        console.endBar()
        discards.finish()
    }

    /// The line that stays.
    func summary(of outcome: FlushOutcome, left: Int) -> String {
        let elapsed = ContinuousClock.now - state.withLock { $0.start }
        var text = "\(title): \(Formatting.records(outcome.delivered)) delivered in \(Formatting.elapsed(elapsed))"
        if outcome.delivered > 0 { text += " (\(Formatting.rate(outcome.delivered, in: elapsed)))" }
        if left > 0 { text += "; \(Formatting.count(left)) left" }
        return text
    }

    // MARK: drawing

    static func line(_ title: String, _ done: Int, of total: Int, _ elapsed: Duration) -> String {
        "\(title): \(Formatting.count(done)) of \(Formatting.records(total)) delivered, "
            + "\(Formatting.rate(done, in: elapsed))\(rest(done, of: total, elapsed))"
    }

    package static func bar(_ title: String, _ done: Int, of total: Int, _ elapsed: Duration, width: Int) -> String {
        let share = total > 0 ? Double(done) / Double(total) : 1
        let text =
            " \(Int(share * 100)) %  \(Formatting.count(done)) of \(Formatting.count(total))  "
            + "\(Formatting.rate(done, in: elapsed))\(rest(done, of: total, elapsed))"
        let columns = min(width - title.count - text.count - 4, 40)
        guard columns >= 5 else { return String("\(title)\(text)".prefix(max(width - 1, 1))) }
        let filled = Int(share * Double(columns))
        return
            "\(title) [\(String(repeating: "#", count: filled))\(String(repeating: "-", count: columns - filled))]\(text)"
    }

    private static func rest(_ done: Int, of total: Int, _ elapsed: Duration) -> String {
        guard done > 0, done < total else { return "" }
        return ", \(Formatting.clock(elapsed / done * (total - done))) left"
    }
}
