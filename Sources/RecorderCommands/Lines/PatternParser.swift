/// Reads the text of a pattern.
struct PatternParser {
    private struct Flags {
        var ignoresCase = false
        var dotMatchesNewline = false
        var isMultiline = false
    }

    private let text: [Unicode.Scalar]
    private var index = 0
    private var flags = Flags()
    private var groups = 0
    private var depth = 0

    private static let deepest = 100
    private static let mostRepetitions = 1_000
    private static let quantifiers: [Unicode.Scalar] = ["*", "+", "?"]

    init(_ source: String) {
        text = Array(source.unicodeScalars)
    }

    mutating func parse() throws(PatternError) -> PatternNode {
        let node = try choice()
        guard index == text.count else { throw error("there is no ( for this )") }
        return node
    }

    // MARK: - structure

    private mutating func choice() throws(PatternError) -> PatternNode {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var parts: [PatternNode] = []
        while let next, next != "|", next != ")" {
            parts.append(try repetition(of: try atom()))
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repetition(of content: PatternNode) throws(PatternError) -> PatternNode {
        guard let (minimum, maximum) = try bounds() else { return content }
        let isGreedy = !take("?")
        if isGreedy, next == "+" { throw error("possessive quantifiers are not supported: leave out this +") }
        if let next, Self.quantifiers.contains(next) { throw error("there is nothing that this repeats") }
        return .repetition(content, minimum: minimum, maximum: maximum, isGreedy: isGreedy)
    }

    /// The numbers of a quantifier; nil if there is none.
    private mutating func bounds() throws(PatternError) -> (Int, Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard next == "{" else { return nil }
        let start = index
        index += 1
        guard let minimum = number() else {
            index = start
            return nil
        }
        var maximum: Int? = minimum
        if take(",") { maximum = number() }
        guard take("}") else {
            index = start
            return nil
        }
        guard max(minimum, maximum ?? 0) <= Self.mostRepetitions else {
            throw error("a number of repetitions is at most \(Self.mostRepetitions)")
        }
        if let maximum, maximum < minimum { throw error("the numbers in {...} are in the wrong order") }
        return (minimum, maximum)
    }

    private mutating func number() -> Int? {
        var digits = ""
        while let next, ("0"..."9").contains(next), digits.count < 6 {
            digits.unicodeScalars.append(next)
            index += 1
        }
        return Int(digits)
    }

    private mutating func atom() throws(PatternError) -> PatternNode {
        guard let character = next else { return .empty }
        index += 1
        switch character {
        case "(": return try group()
        case "[": return .characters(cased(try characterClass()))
        case ".": return .characters(flags.dotMatchesNewline ? .any : .anyInLine)
        case "^": return .assertion(flags.isMultiline ? .lineStart : .textStart)
        case "$": return .assertion(flags.isMultiline ? .lineEnd : .textEnd)
        case "\\": return try escape()
        case "*", "+", "?":
            index -= 1
            throw error("there is nothing that this repeats")
        default: return literal(character)
        }
    }

    private func literal(_ character: Unicode.Scalar) -> PatternNode {
        .characters(cased(PatternCharacters([character.value...character.value])))
    }

    private func cased(_ set: PatternCharacters) -> PatternCharacters { flags.ignoresCase ? set.ignoringCase : set }

    // MARK: - groups

    private mutating func group() throws(PatternError) -> PatternNode {
        let start = index - 1
        let outer = flags
        depth += 1
        guard depth <= Self.deepest else { throw error("groups are nested more than \(Self.deepest) deep") }
        var captures = true
        if take("?") {
            captures = try groupKind()
            // As in `(?i)`: the flags are for the rest of the group around it.
            if text[index - 1] == ")" {
                depth -= 1
                return .empty
            }
        }
        if captures { groups += 1 }
        let isFirst = captures && groups == 1
        let content = try choice()
        guard take(")") else {
            index = start
            throw error("there is no ) for this (")
        }
        flags = outer
        depth -= 1
        return .group(content, isFirst: isFirst)
    }

    /// Reads what follows `(?`, up to the content. Returns whether the group captures.
    private mutating func groupKind() throws(PatternError) -> Bool {
        if take(":") { return false }
        if take("P"), next != "<" { throw error("back references are not supported") }
        if take("<") {
            if next == "=" || next == "!" { throw error("lookbehind is not supported") }
            while let next, next != ">" {
                guard next.properties.isAlphabetic || ("0"..."9").contains(next) || next == "_" else { break }
                index += 1
            }
            guard take(">") else { throw error("the name of this group does not end with >") }
            return true
        }
        switch next {
        case "=", "!": throw error("lookahead is not supported")
        case ">": throw error("atomic groups are not supported")
        default: try readFlags()
        }
        return false
    }

    /// As in `(?i)`, `(?s-i:`.
    private mutating func readFlags() throws(PatternError) {
        var value = true
        while let character = next {
            index += 1
            switch character {
            case "i": flags.ignoresCase = value
            case "s": flags.dotMatchesNewline = value
            case "m": flags.isMultiline = value
            case "-" where value: value = false
            case ":", ")": return
            default:
                index -= 1
                throw error("a group begins with (?: or one of the flags i, s and m, as in (?i)")
            }
        }
        throw error("there is no ) for this (")
    }

    // MARK: - escapes

    private mutating func escape() throws(PatternError) -> PatternNode {
        switch next {
        case "A": return assertion(.textStart)
        case "z", "Z": return assertion(.textEnd)
        case "b": return assertion(.wordBoundary)
        case "B": return assertion(.noWordBoundary)
        case "Q":
            index += 1
            return quoted()
        default: return .characters(cased(try escapedCharacters()))
        }
    }

    private mutating func assertion(_ assertion: PatternProgram.Assertion) -> PatternNode {
        index += 1
        return .assertion(assertion)
    }

    /// As in `\Q[a]\E`: every character stands for itself.
    private mutating func quoted() -> PatternNode {
        var parts: [PatternNode] = []
        while let character = next {
            index += 1
            if character == "\\", take("E") { break }
            parts.append(literal(character))
        }
        return .sequence(parts)
    }

    /// The set or the character of an escape; the backslash has been read.
    private mutating func escapedCharacters() throws(PatternError) -> PatternCharacters {
        guard let character = next else { throw error("a \\ at the end escapes nothing") }
        index += 1
        switch character {
        case "d": return .digits
        case "D": return PatternCharacters.digits.inverted
        case "w": return .word
        case "W": return PatternCharacters.word.inverted
        case "s": return .space
        case "S": return PatternCharacters.space.inverted
        case "h": return .blank
        case "t": return PatternCharacters("\t")
        case "n": return PatternCharacters("\n")
        case "r": return PatternCharacters("\r")
        case "f": return PatternCharacters("\u{C}")
        case "a": return PatternCharacters("\u{7}")
        case "e": return PatternCharacters("\u{1B}")
        case "0": return PatternCharacters("\u{0}")
        case "x": return try hexadecimal(digits: 2)
        case "u": return try hexadecimal(digits: 4)
        case "1"..."9", "k": throw error("back references are not supported")
        case "a"..."z", "A"..."Z": throw error("there is no escape \\\(character)")
        default: return PatternCharacters(String(character))
        }
    }

    /// As in `\x41`, `\x{1F600}`.
    private mutating func hexadecimal(digits: Int) throws(PatternError) -> PatternCharacters {
        var spelled = ""
        let isBraced = take("{")
        while let next, next.properties.isASCIIHexDigit, spelled.count < (isBraced ? 6 : digits) {
            spelled.unicodeScalars.append(next)
            index += 1
        }
        guard isBraced ? take("}") : spelled.count == digits, let value = UInt32(spelled, radix: 16),
            Unicode.Scalar(value) != nil
        else { throw error("this is not the hexadecimal number of a character") }
        return PatternCharacters([value...value])
    }

    // MARK: - classes

    private mutating func characterClass() throws(PatternError) -> PatternCharacters {
        let start = index - 1
        let isInverted = take("^")
        var set = PatternCharacters([])
        var isEmpty = true
        while let character = next {
            if character == "]", !isEmpty {
                index += 1
                // Before the inversion: [^a] without case excludes A too.
                let cased = cased(set)
                return isInverted ? cased.inverted : cased
            }
            isEmpty = false
            set = set.union(try classMember())
        }
        index = start
        throw error("there is no ] for this [")
    }

    /// A character, a range or a class of a class.
    private mutating func classMember() throws(PatternError) -> PatternCharacters {
        if next == "[" { return try namedClass() }
        if next == "&", index + 1 < text.count, text[index + 1] == "&" {
            throw error("intersections of classes are not supported: write \\& for the character &")
        }
        let first = try classCharacters()
        guard let lower = first.onlyMember, next == "-", index + 1 < text.count, text[index + 1] != "]" else {
            return first
        }
        index += 1
        if next == "[" { throw error("write \\[ for the character [ in a class") }
        let second = try classCharacters()
        guard let upper = second.onlyMember, lower <= upper else { throw error("the range before this is not one") }
        return PatternCharacters([lower...upper])
    }

    private mutating func classCharacters() throws(PatternError) -> PatternCharacters {
        guard let character = next else { throw error("there is no ] for this class") }
        index += 1
        guard character == "\\" else { return PatternCharacters(String(character)) }
        if take("b") { return PatternCharacters("\u{8}") }
        return try escapedCharacters()
    }

    /// As in `[[:alpha:]]`. Another [ means a nested class in Java and itself elsewhere.
    private mutating func namedClass() throws(PatternError) -> PatternCharacters {
        index += 1
        var name = ""
        if take(":") {
            while let next, next != ":", next != "]" {
                name.unicodeScalars.append(next)
                index += 1
            }
            if take(":"), take("]"), let named = PatternCharacters(className: name) { return named }
            throw error("there is no class of this name")
        }
        throw error("write \\[ for the character [ in a class")
    }

    // MARK: - characters

    private var next: Unicode.Scalar? { index < text.count ? text[index] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == character else { return false }
        index += 1
        return true
    }

    private func error(_ message: String) -> PatternError {
        PatternError("\(message) (at character \(min(index, text.count - 1) + 1)).")
    }
}

extension PatternCharacters {
    /// The character of a set of one.
    fileprivate var onlyMember: UInt32? {
        guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
        return range.lowerBound
    }
}
