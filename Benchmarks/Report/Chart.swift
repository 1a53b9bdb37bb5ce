import Foundation

/// A report as an SVG chart: one bar per figure, starting at the baseline, on a logarithmic scale.
struct Chart {
    let report: Report

    private let width = 960.0
    private let barsStart = 420.0
    private let barsEnd = 880.0
    private let rowHeight = 46.0
    private let headHeight = 84.0

    var svg: String {
        let height = headHeight + Double(report.lines.count) * rowHeight + 34
        let rows = report.lines.enumerated().map { row($1, at: headHeight + Double($0) * rowHeight) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" role="img" \
            font-family="system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif">
            <title>Each benchmark beside its baseline, measured in the same run</title>
            <style>\(Self.style)</style>
            <rect class="paper" width="\(Int(width))" height="\(Int(height))" rx="12"/>
            <text class="head" x="24" y="34">How many times better than its baseline, in the same run</text>
            <text class="note" x="24" y="56">\(escaped(report.origin))</text>
            \(axis(height))
            \(rows.joined(separator: "\n"))
            </svg>

            """
    }

    /// Grid lines at powers of ten; the baseline's is thicker.
    private func axis(_ height: Double) -> String {
        let bottom = height - 30
        return decades.map { decade in
            let x = position(pow(10, Double(decade)))
            let name = decade == 0 ? "baseline" : "\(pow(10, Double(decade)).formatted) ×"
            return """
                <path class="\(decade == 0 ? "base" : "grid")" d="M\(x.short) \(headHeight.short)V\(bottom.short)"/>\
                <text class="note" text-anchor="middle" x="\(x.short)" y="\((bottom + 16).short)">\(name)</text>
                """
        }.joined(separator: "\n")
    }

    private func row(_ line: Report.Line, at top: Double) -> String {
        let (from, to) = (position(1), position(line.advantage))
        let end = max(from, to, line.targetAdvantage.map(position) ?? 0)
        let kind = line.isMet ? (line.isNoisy ? "noisy" : "met") : "short"
        // A figure as good as its baseline still gets a visible bar.
        let (left, length) = (min(from, to, from - 1), max(abs(to - from), 2))
        var parts = [
            #"<text class="name" x="24" y="\#((top + 17).short)">\#(escaped(line.benchmark))</text>"#,
            #"<text class="label" x="60" y="\#((top + 17).short)">\#(escaped(line.title))</text>"#,
            #"<text class="note" x="60" y="\#((top + 33).short)">\#(escaped(line.behind))</text>"#,
            """
            <rect class="\(kind)" x="\(left.short)" y="\((top + 5).short)" width="\(length.short)" height="14" rx="2"/>
            """,
            """
            <text class="value" x="\((end + 8).short)" y="\((top + 17).short)">\
            \(line.advantage.formatted) ×\(line.isNoisy ? " (noisy)" : "")</text>
            """,
        ]
        if let target = line.targetAdvantage {
            let x = position(target).short
            parts.append(#"<path class="aim" d="M\#(x) \#((top + 2).short)v20"/>"#)
        }
        return parts.joined(separator: "\n")
    }

    /// Powers of ten around all figures.
    private var decades: ClosedRange<Int> {
        let logarithms = report.lines.map { log10(max($0.advantage, 0.001)) } + [-0.3, 0.7]
        return Int((logarithms.min() ?? 0).rounded(.down))...Int((logarithms.max() ?? 1).rounded(.up))
    }

    private func position(_ advantage: Double) -> Double {
        let span = Double(decades.upperBound - decades.lowerBound)
        let share = (log10(max(advantage, 0.001)) - Double(decades.lowerBound)) / span
        return barsStart + share * (barsEnd - barsStart)
    }

    private func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }

    private static let style = """
        .paper{fill:#fff;stroke:#d0d7de}.head{font-size:19px;font-weight:600;fill:#1b2733}\
        .name{font-size:13px;font-weight:600;fill:#1b2733}.label,.value{font-size:13px;fill:#1b2733}\
        .note{font-size:11.5px;fill:#48576a}.grid{stroke:#e4e9ee}.base{stroke:#5b6b7d;stroke-width:1.5}\
        .met{fill:#4a7db3}.noisy{fill:#9db9d6}.short{fill:#c2792b}.aim{stroke:#1b2733;stroke-width:2}\
        @media(prefers-color-scheme:dark){.paper{fill:#11161d;stroke:#2f3a47}.head,.name,.label,.value{fill:#e8eef5}\
        .note{fill:#a9b6c4}.grid{stroke:#26303b}.base{stroke:#93a3b5}.met{fill:#6aa3dd}.noisy{fill:#3d5f82}\
        .short{fill:#d9a548}.aim{stroke:#e8eef5}}
        """
}

extension Double {
    /// An SVG coordinate, with one decimal.
    fileprivate var short: String { String(format: "%.1f", self) }
}
