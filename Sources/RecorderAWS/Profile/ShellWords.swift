/// Words as a POSIX shell reads them, and nothing else that a shell does: no variables, no patterns, no commands.
struct ShellWords {
    private var rest: Substring

    /// The words, separated by blanks. Quotes and backslashes hold words together and are taken off.
    static func split(_ text: Substring) throws(Malformed) -> [String] {
        var reader = ShellWords(rest: text)
        var words: [String] = []
        while let word = try reader.next() { words.append(word) }
        return words
    }

    private mutating func next() throws(Malformed) -> String? {
        rest = rest.drop(while: \.isWhitespace)
        guard !rest.isEmpty else { return nil }
        var word = ""
        while let character = rest.popFirst(), !character.isWhitespace {
            switch character {
            case "'", "\"": word += try quoted(by: character)
            case "\\": word.append(try escaped())
            default: word.append(character)
            }
        }
        return word
    }

    /// The text up to the next such quote. Between double quotes a backslash protects these two, and no others.
    private mutating func quoted(by quote: Character) throws(Malformed) -> String {
        var text = ""
        while let character = rest.popFirst() {
            if character == quote { return text }
            let isEscape = character == "\\" && quote == "\"" && (rest.first == "\"" || rest.first == "\\")
            text.append(isEscape ? try escaped() : character)
        }
        throw Malformed("a quotation mark is not closed.")
    }

    private mutating func escaped() throws(Malformed) -> Character {
        guard let character = rest.popFirst() else { throw Malformed("nothing follows the backslash at the end.") }
        return character
    }
}
