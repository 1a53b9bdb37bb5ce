import Foundation

/// The measured figures, stored as a JSON file. A run replaces the figures of its benchmarks.
struct Report: Codable {
    /// One figure, with the data needed to draw it.
    struct Line: Codable {
        let name: String
        let about: String
        let ratio: Double
        let target: String
        let isMet: Bool
        let isNoisy: Bool
        let behind: String
        let date: String
        let machine: String
    }

    private(set) var lines: [Line] = []

    /// The report in a file, or an empty one if there is no file.
    init(contentsOf path: String?) throws {
        guard let path, FileManager.default.fileExists(atPath: path) else { return }
        self = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    mutating func drop(_ benchmark: Benchmark) { lines.removeAll { $0.benchmark == benchmark.name } }

    mutating func add(_ figure: Figure, of benchmark: Benchmark) {
        let line = Line(
            name: figure.name,
            about: benchmark.about,
            ratio: figure.ratio,
            target: figure.target,
            isMet: figure.isMet,
            isNoisy: figure.isNoisy,
            behind: figure.behind,
            date: String(Date().ISO8601Format().prefix(10)),
            machine: Machine.description
        )
        lines.append(line)
        lines.sort { $0.name.compare($1.name, options: .numeric) == .orderedAscending }
    }

    func writeJSON(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
    }

    /// Date and machine, for a caption: `2026-11-20, 2 cores of an AMD EPYC …`; several if the runs differ.
    var origin: String {
        let origins = lines.map { "\($0.date), \($0.machine)" }
        return Set(origins).sorted().joined(separator: "; ")
    }
}

extension Report.Line {
    /// The benchmark's name, such as `P3`.
    var benchmark: String { String(name.prefix { $0 != " " }) }

    /// What is compared: `processor time of draining a backlog over TLS, 1KB`.
    var title: String {
        let part = name.dropFirst(benchmark.count + 1)
        return part.isEmpty ? about : "\(about.prefix { $0 != ":" }), \(part)"
    }

    /// How many times better than the baseline, whether higher or lower figures are better.
    var advantage: Double { isLowerBetter ? 1 / ratio : ratio }

    /// What a reader is told: `4.94 better`, `1.24 worse`, or `equal` within a twentieth.
    var comparison: String {
        switch advantage {
        case 0.95...1.05: "equal"
        case 1...: "\(advantage.formatted) better"
        default: "\((1 / advantage).formatted) worse"
        }
    }

    /// The same for the target; nil if the target is not a plain ratio.
    var targetAdvantage: Double? {
        guard let limit = Double(target.dropFirst(2)), limit > 0 else { return nil }
        return isLowerBetter ? 1 / limit : limit
    }

    private var isLowerBetter: Bool { target.hasPrefix("<=") }
}

/// The machine that measures.
enum Machine {
    static let description: String = {
        let processor = value(of: "model name", in: "/proc/cpuinfo") ?? "unknown processor"
        let memory = value(of: "MemTotal", in: "/proc/meminfo").flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return "\(cores) cores of \(processor), \((memory + 524_288) / 1_048_576) GiB"
    }()

    private static func value(of name: String, in path: String) -> String? {
        let line = try? String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").first {
            $0.hasPrefix(name)
        }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
