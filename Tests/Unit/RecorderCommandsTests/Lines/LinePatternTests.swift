import Foundation
import RecorderCommands
import RecorderTestSupport
import Testing

/// The regular expressions of the command line: what they match, what they refuse, and how long they take.
@Suite struct LinePatternTests {
    private func match(_ pattern: String, _ text: [UInt8]) throws -> (all: [UInt8], group: [UInt8]?)? {
        var matcher = PatternMatcher(try LinePattern(pattern))
        let found = matcher.firstMatch(in: text.span)
        #expect(matcher.isFound(in: text.span) == (found != nil))
        return found.map { (Array(text[$0.start..<$0.end]), $0.group.map { Array(text[$0]) }) }
    }

    private func match(_ pattern: String, in text: String) throws -> String? {
        try match(pattern, Array(text.utf8)).map { String(decoding: $0.all, as: UTF8.self) }
    }

    @Test(arguments: [
        ("a+", "caab", "aa"), ("a+?", "caab", "a"), ("a{2,3}", "aaaa", "aaa"), ("a{2,}?b", "aaab", "aaab"),
        ("a|ab", "ab", "a"),
        ("ab|a", "ab", "ab"), ("(a*)*b", "aab", "aab"), ("", "abc", ""), ("x*", "aaa", ""),
        ("[^a-c]+", "abcdéf", "déf"),
        ("[à-ü]+", "xéèz", "éè"), ("^.{3}x", "äöüx", "äöüx"), ("(?i)error", "an eRRor", "eRRor"),
        ("a(?i:b)c", "aBc", "aBc"),
        ("[[:digit:]]+", "ab12", "12"), (#"\d{4}-\d\d"#, "x 2026-11", "2026-11"), (#"\bfoo\b"#, "afoo foo", "foo"),
        (#"\Q[a]\E."#, "x[a]b", "[a]b"), (#"\x41\u0042\x{43}"#, "ABC", "ABC"), (#"{"a"#, #"x{"a":1"#, #"{"a"#),
        ("[]a-]+", "x]-a", "]-a"), ("(?s)a.b", "a\nb", "a\nb"), ("(?m)^b$", "a\nb\nc", "b"), ("b$", "ab\r", "b"),
        (#"^\[SEQUENCE"#, "[SEQUENCE 1", "[SEQUENCE"), (".*", "ab\r", "ab"),
    ])
    func `a pattern finds the match that Perl and Java find`(pattern: String, text: String, found: String) throws {
        #expect(try match(pattern, in: text) == found)
    }

    @Test(arguments: [
        ("^a", "ba"), ("b$", "ba"), ("a{2}", "a"), (#"\bfoo\b"#, "afoo"), ("a.b", "a\nb"), ("[^é]", "é"),
        ("(?:a(?i)b)c", "aBC"),
    ])
    func `a pattern that does not match finds nothing`(pattern: String, text: String) throws {
        #expect(try match(pattern, in: text) == nil)
    }

    @Test func `the first group is the one whose parenthesis comes first, named or not`() throws {
        let text = Array("device=ab-1 user=7".utf8)
        #expect(try match(#"device=([\w-]+) user=(\d)"#, text)?.group == Array("ab-1".utf8))
        #expect(try match(#"(?:device)=(?<id>[\w-]+)"#, text)?.group == Array("ab-1".utf8))
        #expect(try match(#"(missing)|device"#, text).map { $0.group } == .some(nil))
    }

    @Test func `a byte that is not UTF-8 is one character`() throws {
        for byte in [0xFF, 0xC3, 0x80] as [UInt8] { #expect(try match("a.b", [97, byte, 98])?.all == [97, byte, 98]) }
        // A surrogate and a code point beyond Unicode are not UTF-8 either.
        #expect(try match("^...$", [0xED, 0xA0, 0x80])?.all.count == 3)
        #expect(try match("^.{4}$", [0xF4, 0x90, 0x80, 0x80])?.all.count == 4)
    }

    @Test(arguments: [
        ("(", "there is no ) for this ("), (")", "there is no ( for this )"), ("[a", "there is no ] for this ["),
        ("*a", "nothing that this repeats"), ("a**", "nothing that this repeats"),
        ("(?=a)", "lookahead is not supported"),
        ("(?<!a)", "lookbehind is not supported"), (#"(a)\1"#, "back references are not supported"),
        ("a++", "possessive"),
        ("[a&&b]", "intersections"), ("[[a]]", #"write \[ "#), (#"\y"#, #"no escape \y"#), ("a{5,2}", "wrong order"),
        ("((a{1000}){1000}){1000}", "too large"), ("[z-a]", "range"), (#"a\"#, "escapes nothing"),
        ("(?x)a", "flags i, s and m"),
        (String(repeating: "(", count: 10_000), "nested"),
    ])
    func `a text that is no pattern is an error that says what and where`(pattern: String, reason: String) {
        #expect { try LinePattern(pattern) } throws: { ($0 as? PatternError)?.message.contains(reason) == true }
    }

    @Test(arguments: ["(a+)+$", "(a|a)*b", "(a*)*b", "a.*a.*a.*b", "(a?){50}a{50}b"])
    func `no text makes a pattern take more than linear time`(pattern: String) throws {
        var matcher = PatternMatcher(try LinePattern(pattern))
        func time(_ count: Int) -> Duration {
            let text = [UInt8](repeating: 97, count: count) + [33]
            return (0..<3).map { _ in processorTime { _ = matcher.firstMatch(in: text.span) } }.min() ?? .zero
        }
        // 16 times the text; a quadratic time would be 256 times as long.
        #expect(time(8_000) < time(500) * 100)
    }
}
