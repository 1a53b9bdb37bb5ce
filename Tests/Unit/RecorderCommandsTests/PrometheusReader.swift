/// Reads metrics as strictly as the specification of the text format, version 0.0.4, and the naming rules of `promtool check
/// metrics` ask: https://prometheus.io/docs/instrumenting/exposition_formats/, https://prometheus.io/docs/practices/naming/
struct PrometheusReader {
    struct Failure: Error, CustomStringConvertible {
        let line: Int
        let problem: String
        var description: String { "line \(line): \(problem)" }
    }

    /// By name and labels, as in `up{job="a"}`; labels in the order of their names.
    private(set) var values: [String: Double] = [:]
    /// By the name of the family.
    private(set) var types: [String: String] = [:]

    private var finished: Set<String> = []
    private var family: String?
    private var help: String?
    private var line = 0

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Failure(line: 0, problem: "the last line has no end") }
        for content in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            line += 1
            if content.hasPrefix("#") { try readComment(content) } else { try readSample(content) }
        }
        guard help == nil else { throw failure("a help without a type") }
    }

    private func failure(_ problem: String) -> Failure { Failure(line: line, problem: problem) }

    // MARK: comments

    private mutating func readComment(_ content: Substring) throws {
        let words = content.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard words.count == 4, words[0] == "#", !words[3].isEmpty else { throw failure("\(content) is incomplete") }
        let (name, text) = (words[2], words[3])
        switch words[1] {
        case "HELP":
            guard help == nil, !finished.contains(name) else { throw failure("\(name) has two helps") }
            try checkEscapes(text, allowed: ["\\", "n"])
            (help, family) = (name, nil)
        case "TYPE":
            guard help == name, types[name] == nil else {
                throw failure("the type of \(name) does not follow its help")
            }
            guard ["counter", "gauge", "summary"].contains(text) else { throw failure("\(text) is no type") }
            try checkName(name, type: text)
            types[name] = text
            finished.insert(name)
            (family, help) = (name, nil)
        default: throw failure("\(words[1]) is neither HELP nor TYPE")
        }
    }

    private func checkName(_ name: String, type: String) throws {
        guard name.wholeMatch(of: /kinesis_recorder_[a-z][a-z0-9_]*/) != nil else { throw failure("the name \(name)") }
        guard (type == "counter") == name.hasSuffix("_total") else { throw failure("\(name) is a \(type)") }
        for suffix in ["_sum", "_count", "_bucket"] where name.hasSuffix(suffix) {
            throw failure("\(name) is reserved")
        }
        for unit in ["milliseconds", "ms", "minutes", "hours", "kilobytes", "mebibytes", "percent", type]
        where name.split(separator: "_").contains(Substring(unit)) { throw failure("\(name) contains \(unit)") }
    }

    // MARK: samples

    private mutating func readSample(_ content: Substring) throws {
        guard let match = content.wholeMatch(of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)/) else {
            throw failure("\(content) is no sample")
        }
        let name = String(match.1)
        guard let family, let type = types[family] else { throw failure("\(name) has no type") }
        let suffixes = type == "summary" ? ["_sum", "_count"] : [""]
        guard suffixes.contains(where: { name == family + $0 }) else { throw failure("\(name) is among \(family)") }
        let number = match.3.wholeMatch(of: /[+-]?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?/).flatMap { Double($0.0) }
        guard let number else { throw failure("\(match.3) is no number") }
        guard number >= 0 || type == "gauge" else { throw failure("\(name) is negative") }
        let key = "\(name){\(try readLabels(match.2 ?? ""))}"
        guard values.updateValue(number, forKey: key) == nil else { throw failure("\(key) is there twice") }
    }

    private func readLabels(_ text: Substring) throws -> String {
        var labels: [String: String] = [:]
        var rest = text
        while !rest.isEmpty {
            // A combining character may follow any other one.
            let label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/.matchingSemantics(.unicodeScalar)
            guard let match = rest.prefixMatch(of: label) else {
                throw failure("the labels \(rest)")
            }
            guard labels.updateValue(String(match.2), forKey: String(match.1)) == nil, !match.1.hasPrefix("__") else {
                throw failure("the label \(match.1)")
            }
            rest = rest[match.range.upperBound...]
        }
        return labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
    }

    private func checkEscapes(_ text: String, allowed: Set<Character>) throws {
        var isEscaped = false
        for character in text {
            if isEscaped, !allowed.contains(character) { throw failure("the escape \\\(character)") }
            isEscaped = !isEscaped && character == "\\"
        }
        if isEscaped { throw failure("a backslash at the end") }
    }
}

extension PrometheusReader {
    /// The sum over all samples of a metric whose labels contain `label`.
    func sum(_ name: String, _ label: String = "") -> Int {
        let prefix = "kinesis_recorder_\(name){"
        let found = values.filter { $0.key.hasPrefix(prefix) && $0.key.contains(label) }
        return found.isEmpty ? -1 : Int(found.values.reduce(0, +))
    }
}
