import Foundation

/// A few figures of a report as an SVG chart: one bar each, starting at the baseline, on a logarithmic scale.
///
/// Narrow, and with a size of its own, so that its text can be read on a telephone, and has the size of the page's text elsewhere.
struct Chart {
    private let lines: [(title: String, line: Report.Line)]
    private let origin: String

    /// What a user decides by, out of all figures; a report without any of them is drawn from its beginning.
    private static let chosen = [
        "P1 1KB": "Saves a second, one by one, beside plain SQLite",
        "P2 1KB": "Saves a second, together, beside the iOS SDK's",
        "P2 1KB beside an actor": "From 1,000 tasks, beside an actor with SQLite",
        "P3 1KB": "Processor time to deliver 1 KB, beside plain C",
        "P3 200B": "Processor time to deliver 200 B, beside plain C",
        "P4 1KB": "Records delivered a second, beside boto3",
        "P5 Amplify's 100,000": "A batch with 100,000 stored, beside Amplify's",
        "P7 backlog 1,000,000": "Memory to deliver 1,000,000, beside 10,000",
    ]

    private let width = 480.0
    private let margin = 24.0
    private let barsEnd = 400.0
    private let rowHeight = 62.0
    private let headHeight = 78.0

    init(report: Report) {
        let chosen = report.lines.compactMap { line in Self.chosen[line.name].map { (title: $0, line: line) } }
        lines = chosen.isEmpty ? report.lines.prefix(8).map { (title: $0.title, line: $0) } : chosen
        origin = report.origin
    }

    var svg: String {
        let height = headHeight + Double(lines.count) * rowHeight + 34
        let rows = lines.enumerated().map { row($1.line, title: $1.title, at: headHeight + Double($0) * rowHeight) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(width * 1.5))" height="\(Int(height * 1.5))" \
            viewBox="0 0 \(Int(width)) \(Int(height))" role="img" \
            font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif">
            <title>Benchmarks beside their baselines, measured in the same run</title>
            <style>\(Self.style)</style>
            <rect class="paper" width="\(Int(width))" height="\(Int(height))" rx="12"/>
            <text class="head" x="\(margin.short)" y="30">Times better or worse than the baseline</text>
            \(caption)
            \(axis(height))
            \(rows.joined(separator: "\n"))
            </svg>

            """
    }

    /// Date and machine, in as many lines as they need.
    private var caption: String {
        let parts = origin.replacingOccurrences(of: "; ", with: ", ").components(separatedBy: ", ")
        var rows = [""]
        for part in parts {
            let longer = rows[rows.count - 1] + (rows[rows.count - 1].isEmpty ? "" : ", ") + part
            if longer.count <= 66 { rows[rows.count - 1] = longer } else { rows.append(part) }
        }
        return rows.prefix(2).enumerated().map { index, text in
            #"<text class="note" x="\#(margin.short)" y="\#((48 + Double(index) * 15).short)">\#(escaped(text))</text>"#
        }.joined(separator: "\n")
    }

    /// Grid lines at powers of ten, behind the bars only; the baseline's is thicker.
    private func axis(_ height: Double) -> String {
        decades.map { decade in
            let x = position(pow(10, Double(decade))).short
            let name = decade == 0 ? "baseline" : "\(pow(10, Double(decade)).formatted) ×"
            let marks = lines.indices.map { "M\(x) \((headHeight + Double($0) * rowHeight + 36).short)v18" }
            return """
                <path class="\(decade == 0 ? "base" : "grid")" d="\(marks.joined())"/>\
                <text class="note" text-anchor="middle" x="\(x)" y="\((height - 14).short)">\(name)</text>
                """
        }.joined(separator: "\n")
    }

    private func row(_ line: Report.Line, title: String, at top: Double) -> String {
        let (from, to) = (position(1), position(line.advantage))
        let end = max(from, to, line.targetAdvantage.map(position) ?? 0)
        let kind = line.isMet ? (line.isNoisy ? "noisy" : "met") : "short"
        // A figure as good as its baseline still gets a visible bar.
        let (left, length) = (min(from, to, from - 1), max(abs(to - from), 2))
        var parts = [
            #"<text class="label" x="\#(margin.short)" y="\#((top + 16).short)">\#(escaped(title))</text>"#,
            #"<text class="note" x="\#(margin.short)" y="\#((top + 32).short)">\#(escaped(line.behind))</text>"#,
            """
            <rect class="\(kind)" x="\(left.short)" y="\((top + 39).short)" width="\(length.short)" height="12" rx="2"/>
            """,
            """
            <text class="value" x="\((end + 8).short)" y="\((top + 50).short)">\
            \(line.comparison)\(line.isNoisy ? " (noisy)" : "")</text>
            """,
        ]
        if let target = line.targetAdvantage {
            let x = position(target).short
            parts.append(#"<path class="aim" d="M\#(x) \#((top + 36).short)v18"/>"#)
        }
        return parts.joined(separator: "\n")
    }

    /// Powers of ten around all figures.
    private var decades: ClosedRange<Int> {
        let logarithms = lines.map { log10(max($0.line.advantage, 0.001)) } + [-0.3, 0.7]
        return Int((logarithms.min() ?? 0).rounded(.down))...Int((logarithms.max() ?? 1).rounded(.up))
    }

    private func position(_ advantage: Double) -> Double {
        let span = Double(decades.upperBound - decades.lowerBound)
        let share = (log10(max(advantage, 0.001)) - Double(decades.lowerBound)) / span
        return margin + share * (barsEnd - margin)
    }

    private func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }

    private static let style = """
        .paper{fill:#fff;stroke:#d0d7de}.head{font-size:18px;font-weight:600;fill:#1b2733}\
        .label{font-size:15px;font-weight:600;fill:#1b2733}.value{font-size:14px;font-weight:600;fill:#1b2733}\
        .note{font-size:12.5px;fill:#48576a}.grid{stroke:#d0d7de}.base{stroke:#5b6b7d;stroke-width:1.5}\
        .met{fill:#4a7db3}.noisy{fill:#9db9d6}.short{fill:#c2792b}.aim{stroke:#1b2733;stroke-width:2}\
        @media(prefers-color-scheme:dark){.paper{fill:#11161d;stroke:#2f3a47}.head,.label,.value{fill:#e8eef5}\
        .note{fill:#a9b6c4}.grid{stroke:#2f3a47}.base{stroke:#93a3b5}.met{fill:#6aa3dd}.noisy{fill:#3d5f82}\
        .short{fill:#d9a548}.aim{stroke:#e8eef5}}
        """
}

extension Double {
    /// An SVG coordinate, with one decimal.
    fileprivate var short: String { String(format: "%.1f", self) }
}
