import RecorderConcurrency

/// A regular expression that is searched in the bytes of a record, by PCRE2: Perl's syntax, and nearly Java's.
///
/// Lines of a log may be anyone's, and a search that backtracks can take a time that grows exponentially with their length. So it
/// is given up at a limit: 100,000 steps from one character, 4 MiB of memory, or 0.1 s of processor time.
///
/// Bytes that are not UTF-8 are read as U+FFFD, as in Java.
package final class LinePattern: Sendable {
    package let source: String
    // Safe because it is used with the lock only.
    private nonisolated(unsafe) let search: PatternSearch
    private let lock = Locked(())

    /// `isAnchored` says whether a match must begin at the start of the text, and `isInterpreted` whether no machine code is made
    /// of the pattern, as where a process must not have any.
    package init(
        _ source: String,
        isAnchored: Bool = false,
        isInterpreted: Bool = false
    ) throws(PatternError) {
        try Self.checkClasses(of: source)
        self.source = source
        search = try PatternSearch(source, isAnchored: isAnchored, isInterpreted: isInterpreted)
    }

    /// Searches for the pattern in a text; for what its first group matches only if `findsGroup` says so.
    package func match(in text: Span<UInt8>, findsGroup: Bool = false) -> PatternMatch {
        text.withUnsafeBytes { bytes in
            if text.isUTF8 { return match(in: bytes, findsGroup: findsGroup) }
            let repaired = Array(String(decoding: bytes, as: UTF8.self).utf8)
            return match(in: repaired.span, findsGroup: findsGroup)
        }
    }

    private func match(in text: UnsafeRawBufferPointer, findsGroup: Bool) -> PatternMatch {
        lock.withLock { _ in
            do throws(PatternLimit) {
                guard try search.isFound(in: text) else { return .none }
                guard findsGroup, let group = search.group else { return .found(group: nil) }
                return .found(group: String(decoding: text[group], as: UTF8.self))
            } catch {
                return .givenUp
            }
        }
    }

    /// Refuses what has one meaning in a class of Java and another one here: `&&`, and a class in it.
    private static func checkClasses(of source: String) throws(PatternError) {
        var characters = source.unicodeScalars[...]
        var isInClass = false
        while let character = characters.popFirst() {
            switch character {
            case "\\":
                if characters.popFirst() == "Q" { characters = characters.after("\\E") }
            case "[" where !isInClass:
                isInClass = true
                if characters.first == "^" { characters.removeFirst() }
                // As the first one, it is a member.
                if characters.first == "]" { characters.removeFirst() }
            case "[" where characters.first == ":": characters = characters.after(":]")
            case "[":
                throw PatternError("write \\[ for the character [ in a class; a class in a class is not supported.")
            case "&" where isInClass && characters.first == "&":
                throw PatternError("write \\& for the character & in a class; intersections are not supported.")
            case "]": isInClass = false
            default: break
            }
        }
    }
}

/// Why a text is not a pattern.
package struct PatternError: Error, Sendable {
    package let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// What a search for a pattern found.
package enum PatternMatch: Sendable, Equatable {
    /// `group` is what the first group matched, or the whole pattern if it has no group; nil if the group took no part.
    case found(group: String?)
    case none
    /// A limit was reached.
    case givenUp
}

extension Span<UInt8> {
    fileprivate var isUTF8: Bool {
        do {
            _ = try UTF8Span(validating: self)
            return true
        } catch {
            return false
        }
    }
}

extension Substring.UnicodeScalarView {
    /// What follows the first occurrence of a text; nothing if there is none.
    fileprivate func after(_ text: String) -> Self {
        guard let found = Substring(self).firstRange(of: text) else { return self[endIndex...] }
        return self[found.upperBound...]
    }
}
