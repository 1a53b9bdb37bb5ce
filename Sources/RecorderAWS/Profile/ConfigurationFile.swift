/// The text of `~/.aws/config` or `~/.aws/credentials`, taken apart by the rules that the AWS CLI has for it.
///
/// ```
/// [profile field]                 a section: one or two words
/// region = eu-west-1              a value, up to the end of the line
/// services =                      a line indented further goes on with the value;
///   kinesis =                     where that is empty, it has a name of its own
/// # or ; at the start of a line   a comment
/// ```
/// Keys are compared without regard to case. Sections of the same name are one, and the last of several values counts.
/// No line is ever quoted in an error: it may hold a secret.
struct ConfigurationFile {
    /// One section: its header's words, and its values by key in lower case.
    struct Section {
        let words: [String]
        var values: [String: Value] = [:]
    }

    /// What stands behind a key, and what is indented under it.
    struct Value {
        var text: String
        var nested: [String: String] = [:]
    }

    /// The sections in order of their first header.
    private(set) var sections: [Section] = []

    private let path: String
    private var section: Int?
    private var key: String?
    private var indentation = 0

    /// Takes a text apart; `path` is for the errors.
    init(_ text: String, path: String) throws(ConfigurationFailure) {
        self.path = path
        // Editors of other systems put a mark at the start and a carriage return at each end.
        let lines = text.drop { $0 == "\u{FEFF}" }
            .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            do throws(Malformed) {
                try read(line)
            } catch {
                throw ConfigurationFailure("\(path), line \(index + 1): \(error.reason)")
            }
        }
    }

    private mutating func read(_ line: Substring) throws(Malformed) {
        let content = line.trimmingBlanks()
        guard let first = content.first, first != "#", first != ";" else { return }
        let indentation = line.prefix(while: \.isWhitespace).count
        if let key, indentation > self.indentation {
            return try goOn(key, with: content)
        }
        self.indentation = indentation
        if first == "[" {
            try beginSection(content)
        } else {
            try readValue(content)
        }
    }

    private mutating func beginSection(_ header: Substring) throws(Malformed) {
        guard let end = header.lastIndex(of: "]") else {
            throw Malformed("a section's header must end with \"]\".")
        }
        let name = header[..<end].dropFirst()
        // A header that is no words is another tool's; its values must not land in the section before.
        let words = (try? ShellWords.split(name)) ?? [String(name)]
        section = sections.firstIndex { $0.words == words } ?? sections.endIndex
        key = nil
        if section == sections.endIndex { sections.append(Section(words: words)) }
    }

    private mutating func readValue(_ line: Substring) throws(Malformed) {
        guard let section else { throw Malformed("this value stands before the first section, such as [default].") }
        let (name, text) = try Self.split(line)
        key = name.lowercased()
        sections[section].values[name.lowercased()] = Value(text: text)
    }

    private mutating func goOn(_ key: String, with line: Substring) throws(Malformed) {
        guard let section, var value = sections[section].values[key] else { return }
        if value.text.isEmpty {
            let (name, text) = try Self.split(line)
            value.nested[name.lowercased()] = text
        } else {
            value.text += "\n" + line
        }
        sections[section].values[key] = value
    }

    private static func split(_ line: Substring) throws(Malformed) -> (name: String, text: String) {
        guard let equals = line.firstIndex(of: "=") else { throw Malformed("there is no \"=\" in it.") }
        let name = line[..<equals].trimmingBlanks()
        guard !name.isEmpty else { throw Malformed("there is no name before the \"=\".") }
        return (String(name), String(line[line.index(after: equals)...].trimmingBlanks()))
    }
}

/// What is wrong with a line, without the line.
struct Malformed: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

extension Substring {
    fileprivate func trimmingBlanks() -> Substring {
        let start = drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? start
    }
}
