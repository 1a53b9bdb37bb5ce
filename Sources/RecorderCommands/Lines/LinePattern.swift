/// A regular expression that is matched against the bytes of a record, in linear time.
///
/// Lines of a log may be anyone's. The C library's `regexec` takes a time that grows with the square of their length (0.3 s for 8 KB
/// and `(a+)+$`), and Swift's `Regex` one that can grow exponentially.
///
/// The syntax is what Perl, Java and POSIX have in common. What cannot be matched in linear time, or has different meanings, is
/// an error: back references, lookaround, possessive quantifiers. Bytes that are not UTF-8 count as one character each.
package struct LinePattern: Sendable {
    package let source: String
    let program: PatternProgram
    /// Whether it has a capture group.
    let hasGroup: Bool

    /// `anchored` says whether a match must begin at the start of the text.
    package init(_ source: String, anchored: Bool = false) throws(PatternError) {
        self.source = source
        var parser = PatternParser(source)
        let node = try parser.parse()
        program = try PatternProgram(anchored ? .sequence([.assertion(.textStart), node]) : node)
        hasGroup = program.hasGroup
    }
}

/// Why a text is not a pattern.
package struct PatternError: Error, Sendable {
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// A pattern as a tree.
indirect enum PatternNode: Sendable {
    case empty
    case characters(PatternCharacters)
    case assertion(PatternProgram.Assertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    case group(PatternNode, isFirst: Bool)
    /// `maximum` nil: any number of times.
    case repetition(PatternNode, minimum: Int, maximum: Int?, isGreedy: Bool)
}
