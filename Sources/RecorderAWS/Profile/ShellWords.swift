/// Splits a command into words as a POSIX shell does, without variables, patterns or command substitution.
package struct ShellWords {
    private var rest: Substring

    /// The words, which white space separates. Quotes and backslashes are removed.
    package static func split(_ text: Substring) throws(Malformed) -> [String] {
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

    /// The text up to the next such quote. In double quotes a backslash escapes only a double quote or a backslash.
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
