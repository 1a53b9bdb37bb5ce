import Foundation

/// The files that a run writes its figures to: `--json FILE --chart FILE --table FILE`.
struct Outputs {
    private let json: String?
    private let chart: String?
    private let table: String?
    private var report: Report

    /// Takes these options and their files out of the arguments.
    init(_ arguments: inout [String]) throws {
        var files: [String: String] = [:]
        for option in ["--json", "--chart", "--table"] {
            guard let place = arguments.firstIndex(of: option) else { continue }
            guard place + 1 < arguments.count else {
                print("\(option) needs the name of a file.")
                exit(2)
            }
            files[option] = arguments[place + 1]
            arguments.removeSubrange(place...(place + 1))
        }
        (json, chart, table) = (files["--json"], files["--chart"], files["--table"])
        report = try Report(contentsOf: json)
    }

    mutating func add(_ figure: Figure, of benchmark: Benchmark) { report.add(figure, of: benchmark) }

    func write() throws {
        if let json { try report.writeJSON(to: json) }
        if let chart { try Chart(report: report).svg.write(toFile: chart, atomically: true, encoding: .utf8) }
        if let table { try replaceFigures(in: table) }
    }

    /// Puts the table between the two comments of a Markdown file.
    private func replaceFigures(in path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        guard let start = text.range(of: "<!-- figures -->\n"), let end = text.range(of: "<!-- end of figures -->")
        else {
            print("\(path) has no <!-- figures --> with an <!-- end of figures -->: nowhere to put the table.")
            exit(2)
        }
        let rows = report.lines.map { line in
            "| \(line.title) | \(line.behind) | \(line.advantage.formatted)\(line.isNoisy ? ", noisy" : "") |"
        }
        let lines = ["| what | figures | times better |", "|---|---|---|"] + rows + ["", "\(report.origin)."]
        try text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: lines.joined(separator: "\n") + "\n")
            .write(toFile: path, atomically: true, encoding: .utf8)
    }
}
