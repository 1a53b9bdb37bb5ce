import Foundation
import LineRecords
import RecorderTestSupport
import Testing

/// The regular expressions of the command line: what they match, what they refuse, and how long they take.
@Suite struct LinePatternTests {
    /// What is found, compiled to machine code and interpreted.
    private func group(_ pattern: String, _ text: [UInt8]) throws -> String? {
        let found = try LinePattern(pattern).match(in: text.span, findsGroup: true)
        #expect(try LinePattern(pattern, isInterpreted: true).match(in: text.span, findsGroup: true) == found)
        #expect(found != .givenUp)
        return if case .found(let group) = found { group } else { nil }
    }

    private func group(_ pattern: String, in text: String) throws -> String? {
        try group(pattern, Array(text.utf8))
    }

    @Test(arguments: [
        ("a+", "caab", "aa"), ("a+?", "caab", "a"), ("a{2,3}", "aaaa", "aaa"), ("a{2,}?b", "aaab", "aaab"),
        ("a|ab", "ab", "a"), ("", "abc", ""), ("", "", ""), ("x*", "aaa", ""), ("[^a-c]+", "abcdéf", "déf"),
        ("[à-ü]+", "xéèz", "éè"), ("^.{3}x", "äöüx", "äöüx"), ("(?i)error", "an eRRor", "eRRor"),
        ("a(?i:b)c", "aBc", "aBc"), ("[[:digit:]]+", "ab12", "12"), (#"\d{4}-\d\d"#, "x 2026-11", "2026-11"),
        (#"\bfoo\b"#, "afoo foo", "foo"), (#"\Q[a]\E."#, "x[a]b", "[a]b"), (#"\x41\x{1F600}"#, "A😀", "A😀"),
        (#"{"a"#, #"x{"a":1"#, #"{"a"#), ("[]a-]+", "x]-a", "]-a"), ("(?s)a.b", "a\nb", "a\nb"),
        ("(?m)^b$", "a\nb\nc", "b"), (#"^\[SEQUENCE"#, "[SEQUENCE 1", "[SEQUENCE"),
    ])
    func `a pattern finds the match that Perl and Java find`(pattern: String, text: String, found: String) throws {
        #expect(try group(pattern, in: text) == found)
    }

    @Test(arguments: [
        ("a(?=b)", "acab", "a"), ("(?<=x)a+", "aa xaa", "aa"), ("(?<!x)ab", "xab ab", "ab"), ("(?:a++)b", "aab", "aab"),
        ("(?>a+)b", "aab", "aab"), (#"\p{Lu}\p{L}+"#, "x Émile", "Émile"), (#"(\w)\1"#, "abccd", "c"),
        (#"(?<id>\d+)-\k<id>"#, "1-2 3-3", "3"),
    ])
    func `what Java's patterns have beyond regular languages is found too`(pattern: String, text: String, found: String)
        throws
    {
        #expect(try group(pattern, in: text) == found)
    }

    @Test(arguments: [
        ("^a", "ba"), ("b$", "ba"), ("a{2}", "a"), (#"\bfoo\b"#, "afoo"), ("a.b", "a\nb"), ("[^é]", "é"),
        ("(?:a(?i)b)c", "aBC"),
    ])
    func `a pattern that does not match finds nothing`(pattern: String, text: String) throws {
        #expect(try group(pattern, in: text) == nil)
    }

    @Test func `the first group is the one whose parenthesis comes first, named or not`() throws {
        let text = "device=ab-1 user=7"
        #expect(try group(#"device=([\w-]+) user=(\d)"#, in: text) == "ab-1")
        #expect(try group(#"(?:device)=(?<id>[\w-]+)"#, in: text) == "ab-1")
        #expect(try group("(missing)|device", in: text) == nil)
        #expect(try LinePattern("(missing)|device").match(in: Array(text.utf8).span) == .found(group: nil))
    }

    @Test func `a carriage return before the end of a line belongs to the end`() throws {
        #expect(try group("b$", in: "ab\r") == "b")
        #expect(try group(".*", in: "ab\r") == "ab")
    }

    @Test func `bytes that are not UTF-8 are one character where Java reads one`() throws {
        for byte in [0xFF, 0xC3, 0x80] as [UInt8] { #expect(try group("a(.)b", [97, byte, 98]) == "\u{FFFD}") }
        // A surrogate and a code point beyond Unicode are not UTF-8 either.
        #expect(try group("^...$", [0xED, 0xA0, 0x80]) != nil)
        #expect(try group("^.{4}$", [0xF4, 0x90, 0x80, 0x80]) != nil)
        let latin1 = Array("ERROR ".utf8) + [0xDC] + Array("bertragung: timeout".utf8)
        #expect(try group("ERROR.*timeout", latin1) == "ERROR \u{FFFD}bertragung: timeout")
    }

    @Test(arguments: [
        ("(", "missing closing parenthesis (at offset 1)."), ("é)", "unmatched closing parenthesis (at offset 1)."),
        ("[a", "missing terminating ]"), ("*a", "does not follow a repeatable item"), ("a{5,2}", "out of order"),
        ("((a{1000}){1000}){1000}", "too large"), ("[z-a]", "out of order"), (#"a\"#, #"\ at end of pattern"#),
        (#"\y"#, "unrecognized character follows \\"), (#"\u0041"#, "PCRE2 does not support"),
        (#"\p{javaLowerCase}"#, "unknown property"), (#"[\p{InGreek}]"#, "unknown property"),
        ("[a&&b]", "intersections are not supported"), ("[x[a]]", #"write \[ "#), (#"[^]\]["#, #"write \[ "#),
        (String(repeating: "(", count: 10_000), "too deeply"),
    ])
    func `a text that is no pattern, or another one in Java, is an error that says what and where`(
        pattern: String,
        reason: String
    ) {
        #expect { try LinePattern(pattern) } throws: { ($0 as? PatternError)?.message.contains(reason) == true }
    }

    @Test(arguments: [#"[\[&]&&\[[[:alpha:]&]"#, #"\Q[[&&\E[^]&]"#, "a&&b[]&]"])
    func `a bracket or an ampersand that has one meaning is none`(pattern: String) throws {
        _ = try LinePattern(pattern)
    }

    @Test(
        arguments: ["(a+)+$", "(a|a)*b", "(a*)*b", "(?:a.*){4}b", "(a?){50}a{50}b", "(?:.*.*)*[bc]$"],
        [false, true]
    )
    func `no text makes a search take long`(pattern: String, isInterpreted: Bool) throws {
        let pattern = try LinePattern(pattern, isInterpreted: isInterpreted)
        for count in [300, 8_000, 100_000, 1_000_000] {
            let text = [UInt8](repeating: 97, count: count) + [33]
            let time = processorTime {
                #expect([.none, .givenUp].contains(pattern.match(in: text.span)))
            }
            #expect(time < .seconds(2), "\(count) bytes took \(time)")
        }
    }

    @Test func `a long text that needs no long search is searched to its end`() throws {
        let text = Array((String(repeating: "é{\"a\":[1,2,3]} ", count: 60_000) + "id=7").utf8)
        #expect(try group(#"id=(\d)$"#, text) == "7")
        #expect(try group(#"^.*?(\d)"#, text) == "1")
        #expect(try group("id=8", text) == nil)
    }
}
