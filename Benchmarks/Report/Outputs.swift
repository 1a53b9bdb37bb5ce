import Foundation

/// The files that a run writes its figures to: `--json FILE --chart FILE --table FILE`.
struct Outputs {
    private let json: String?
    private let chart: String?
    private let table: String?
    private var report: Report

    private static let (start, end) = ("<!-- figures -->\n", "<!-- end of figures -->")

    /// Removes these options and their files from the arguments. Ends the program if they cannot be written later.
    init(_ arguments: inout [String]) {
        var files: [String: String] = [:]
        for option in ["--json", "--chart", "--table"] {
            guard let index = arguments.firstIndex(of: option) else { continue }
            guard index + 1 < arguments.count else { Self.refuse("\(option) needs a file name.") }
            files[option] = arguments[index + 1]
            arguments.removeSubrange(index...(index + 1))
        }
        (json, chart, table) = (files["--json"], files["--chart"], files["--table"])
        do {
            report = try Report(contentsOf: json)
        } catch {
            Self.refuse(
                "--json \(json ?? ""): it is not a file of figures; choose another file, or remove it. \(error)"
            )
        }
        if let table { _ = Self.page(table) }
    }

    mutating func drop(_ benchmark: Benchmark) { report.drop(benchmark) }

    mutating func add(_ figure: Figure, of benchmark: Benchmark) { report.add(figure, of: benchmark) }

    func write() throws {
        if let json { try report.writeJSON(to: json) }
        if let chart { try Chart(report: report).svg.write(toFile: chart, atomically: true, encoding: .utf8) }
        if let table { try replaceFigures(in: table) }
    }

    /// Writes the table between the two comments of a Markdown file.
    private func replaceFigures(in path: String) throws {
        let page = Self.page(path)
        let rows = report.lines.map { line in
            let target = line.target.replacing("<=", with: "≤ ").replacing(">=", with: "≥ ")
            return "| \(line.benchmark) \(line.title) | \(line.behind) | \(line.comparison)"
                + "\(line.isNoisy ? ", noisy" : "")\(line.isMet ? "" : "; missed: \(target)") |"
        }
        let lines = ["| what | figures | times |", "|---|---|---|"] + rows + ["", "\(report.origin)."]
        try (page.before + lines.joined(separator: "\n") + "\n" + page.after)
            .write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// The text before and after the table.
    private static func page(_ path: String) -> (before: Substring, after: Substring) {
        do {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            guard let start = text.range(of: start), let end = text[start.upperBound...].range(of: end) else {
                refuse("--table \(path): it has no <!-- figures --> with an <!-- end of figures --> below; add them.")
            }
            return (text[..<start.upperBound], text[end.lowerBound...])
        } catch {
            refuse("--table \(path): it cannot be read; name a Markdown file. \(error.localizedDescription)")
        }
    }

    private static func refuse(_ message: String) -> Never {
        print(message)
        exit(2)
    }
}
