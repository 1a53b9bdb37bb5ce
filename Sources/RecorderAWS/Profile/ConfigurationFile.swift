/// Parses `~/.aws/config` or `~/.aws/credentials` by the rules of the AWS CLI.
///
/// ```
/// [profile field]                 a section: one or two words
/// region = eu-west-1              a value, up to the end of the line; a colon may replace the equals sign
/// services =                      a line with more indentation continues the value;
///   kinesis =                     if the value is empty, it is a nested setting
/// # or ; at the start of a line   a comment
/// ```
/// Keys are case-insensitive. Sections with the same name are merged, and the last value of a key counts. Errors never quote
/// a line, because it may contain a secret.
struct ConfigurationFile {
    /// One section: its header's words, and its values by key in lower case.
    struct Section {
        let words: [String]
        var values: [String: Value] = [:]
    }

    /// The text of a setting and its nested settings.
    struct Value {
        var text: String
        var nested: [String: String] = [:]
    }

    /// The sections, in the order of their first headers.
    private(set) var sections: [Section] = []

    private let path: String
    private var section: Int?
    private var key: String?
    private var indentation = 0

    /// Parses a text; `path` is for error messages.
    init(_ text: String, path: String) throws(ConfigurationFailure) {
        self.path = path
        // Windows editors write a byte order mark and carriage returns.
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
        // Programs in C would read another value.
        guard !line.utf8.contains(0) else { throw Malformed("there is a NUL byte in it.") }
        let content = line.trimmed()
        guard let first = content.first, first != "#", first != ";" else { return }
        let indentation = line.prefix(while: \.isWhitespace).count
        if let key, indentation > self.indentation {
            return try continueValue(of: key, with: content)
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
        // A header that cannot be split belongs to another tool. Its values must not be added to the previous section.
        let words = (try? ShellWords.split(name)) ?? [String(name)]
        section = sections.firstIndex { $0.words == words } ?? sections.endIndex
        key = nil
        if section == sections.endIndex { sections.append(Section(words: words)) }
    }

    private mutating func readValue(_ line: Substring) throws(Malformed) {
        guard let section else { throw Malformed("this value is before the first section, such as [default].") }
        let (name, text) = try Self.split(line, at: "=:")
        key = name.lowercased()
        sections[section].values[name.lowercased()] = Value(text: text)
    }

    private mutating func continueValue(of key: String, with line: Substring) throws(Malformed) {
        guard let section, var value = sections[section].values[key] else { return }
        if value.text.isEmpty {
            let (name, text) = try Self.split(line, at: "=")
            value.nested[name.lowercased()] = text
        } else {
            value.text += "\n" + line
        }
        sections[section].values[key] = value
    }

    private static func split(_ line: Substring, at separators: String) throws(Malformed) -> (
        name: String, text: String
    ) {
        guard let equals = line.firstIndex(where: separators.contains) else {
            throw Malformed("there is no \"=\" in it.")
        }
        let name = line[..<equals].trimmed()
        guard !name.isEmpty else { throw Malformed("there is no name before the \"=\".") }
        return (String(name), String(line[line.index(after: equals)...].trimmed()))
    }
}

/// What is wrong with a line, without its text.
package struct Malformed: Error {
    package let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
