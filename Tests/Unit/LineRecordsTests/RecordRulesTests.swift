import Foundation
import LineRecords
import RecorderStore
import RecorderTestSupport
import Testing

/// Records from lines by rules: which bytes they have, which key, and where reading can begin again.
@Suite struct RecordRulesTests {
    private struct Split: Equatable {
        var records: [String] = []
        var keys: [String?] = []
        var ends: [Int] = []
    }

    private func assembler(
        _ rules: RecordRules,
        limit: Int = 1_000,
        keepsDelimiter: Bool = false,
        start: Int = 0
    ) -> RecordAssembler {
        var rules = rules
        (rules.maximumRecordBytes, rules.keepsDelimiter) = (limit, keepsDelimiter)
        return RecordAssembler(rules, start: start)
    }

    /// Splits an input that comes in chunks of random sizes.
    private func split(
        _ input: String,
        by assembler: inout RecordAssembler,
        _ random: inout SeededRandom,
        longest: Int = 9
    ) -> Split {
        var split = Split()
        func take(_ lines: AssembledRecords) {
            split.records += lines.payloads.ranges.map { String(decoding: lines.payloads.bytes[$0], as: UTF8.self) }
            split.keys += lines.payloads.keys
            split.ends.append(lines.end.byte)
        }
        var rest = Array(input.utf8)[...]
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(Int.random(in: 1...longest, using: &random)))
            rest = rest.dropFirst(chunk.count)
            assembler.add(chunk).forEach(take)
        }
        assembler.finish().forEach(take)
        return split
    }

    private func split(_ input: String, _ rules: RecordRules, limit: Int = 1_000, keepsDelimiter: Bool = false) -> Split
    {
        var random = SeededRandom(1)
        var assembler = assembler(rules, limit: limit, keepsDelimiter: keepsDelimiter)
        return split(input, by: &assembler, &random)
    }

    @Test func `a record of several lines ends before the next line that matches`() throws {
        var rules = RecordRules()
        rules.multilineStart = try LinePattern("^S")
        #expect(split("x\ny\nS1\n a\n\nS2\nS3\n b", rules).records == ["x\ny", "S1\n a\n", "S2", "S3\n b"])
        #expect(split("S1\n a\nS2\n", rules, keepsDelimiter: true).records == ["S1\n a\n", "S2\n"])
    }

    @Test func `records of several lines are the same whatever the chunks, and go on at each position`() throws {
        var random = SeededRandom(7)
        var rules = RecordRules()
        rules.multilineStart = try LinePattern("^S")
        rules.dropped = try LinePattern("b")
        for _ in 0..<300 {
            let input = String(
                (0..<Int.random(in: 0...80, using: &random)).map { _ in "Sab\n".randomElement(using: &random) ?? "S" }
            )
            var whole = assembler(rules, limit: 12)
            let wanted = split(input, by: &whole, &random, longest: 200)
            var parts = assembler(rules, limit: 12)
            let found = split(input, by: &parts, &random)
            #expect(found.records == wanted.records && parts.position == whole.position)
            #expect(parts.counts.refusedCount == whole.counts.refusedCount)
            for end in found.ends {
                var rest = assembler(rules, limit: 12, start: end)
                let after = split(String(decoding: Array(input.utf8)[end...], as: UTF8.self), by: &rest, &random)
                #expect(
                    after.records == wanted.records.suffix(after.records.count)
                        && rest.position.byte == input.utf8.count
                )
                #expect(found.records.dropLast(after.records.count) + after.records == wanted.records)
            }
        }
    }

    @Test func `a record ends before it is too long or has too many lines, and no line is lost`() throws {
        var rules = RecordRules()
        rules.multilineStart = try LinePattern("^S")
        #expect(split("S1\nabc\ndef\n", rules, limit: 7).records == ["S1\nabc", "def"])
        let many = "S\n" + String(repeating: "x\n", count: 2_500)
        let records = split(many, rules, limit: 100_000, keepsDelimiter: true).records
        #expect(records.count == 3 && records.joined() == many)
        let long = split("S1\na\n\(String(repeating: "x", count: 50))\nb\nS2\n", rules, limit: 20)
        #expect(long.records == ["S1\na", "b", "S2"])
    }

    @Test func `a record waits for its next line until the wait is over, and a begun line waits longer`() throws {
        var rules = RecordRules()
        rules.multilineStart = try LinePattern("^S")
        var assembler = assembler(rules)
        var records: [String] = []
        func take(_ lines: AssembledRecords) {
            records += lines.payloads.ranges.map { String(decoding: lines.payloads.bytes[$0], as: UTF8.self) }
        }
        assembler.add(Array("S1\n a\n beg".utf8)).forEach(take)
        #expect(records == [] && assembler.holdsRecord && assembler.position.byte == 0)
        assembler.endRecord().forEach(take)
        #expect(
            records == ["S1\n a"] && !assembler.holdsRecord && assembler.isWithinLine && assembler.position.byte == 6
        )
        assembler.add(Array("un\n".utf8)).forEach(take)
        assembler.finish().forEach(take)
        #expect(records == ["S1\n a", " begun"] && assembler.position.byte == 13)
    }

    @Test func `empty records and those that a pattern chooses are left out and counted`() throws {
        var rules = RecordRules()
        rules.skipsEmpty = true
        rules.dropped = try LinePattern("health")
        rules.kept = try LinePattern("^GET|^POST")
        var random = SeededRandom(1)
        for isMultiline in [false, true] {
            if isMultiline { rules.multilineStart = try LinePattern("") }
            var assembler = assembler(rules)
            let found = split("GET /\n\n\r\nGET /health\nPUT /\nPOST /a\n", by: &assembler, &random)
            #expect(found.records == ["GET /", "POST /a"])
            #expect(assembler.position.dropped == 4 && assembler.position.records == 6)
        }
    }

    @Test func `the key is a member of the JSON object, a string or a number`() {
        var rules = RecordRules()
        rules.key = .field("id")
        let long = String(repeating: "é", count: 256)
        let rows: [(String, String?)] = [
            (#"{"id":"a"}"#, "a"), (#" { "x" : [1,{"id":"no"},"]"] , "id" : 12.50 } "#, "12.50"), (#"{"id":-3}"#, "-3"),
            (#"{"id":"a\u00e9\"b"}"#, "aé\"b"), (#"{"i\u0064":"b"}"#, "b"), (#"{"id":"\#(long)"}"#, long),
            (#"{"id":"\#(long)é"}"#, nil), (#"{"id":""}"#, nil), (#"{"id":true}"#, nil), (#"{"id":null}"#, nil),
            (#"{"id":{"a":1}}"#, nil), (#"{"other":"id"}"#, nil), (#"["id","a"]"#, nil), ("plain id", nil), ("", nil),
            (#"{"id":"cut"#, nil), (#"{"id":1x}"#, nil), (#"{"x":"\"#, nil), (#"{"id" "a"}"#, nil),
        ]
        let found = split(rows.map(\.0).joined(separator: "\n"), rules)
        #expect(found.records == rows.map(\.0))
        for (key, row) in zip(found.keys, rows) { #expect(key == row.1, "\(row.0)") }
    }

    @Test func `the key is the first group of a pattern, or the match of one without a group`() throws {
        var rules = RecordRules()
        rules.key = .pattern(try LinePattern(#"dev=(\w+)|user"#))
        #expect(split("dev=a1 x\nuser dev=2\nuser\nnone", rules).keys == ["a1", nil, nil, nil])
        rules.key = .pattern(try LinePattern(#"[a-z]+\d"#))
        #expect(split("xx a1 b2\n12", rules).keys == ["a1", nil])
    }

    @Test func `a key that is not UTF-8 is none, and the record is stored as it is`() throws {
        var rules = RecordRules()
        rules.key = .pattern(try LinePattern("k=(.+)"))
        var assembler = assembler(rules)
        let found = assembler.add([107, 61, 0xFF, 10, 107, 61, 97, 10])
        #expect(found.first?.payloads.keys == [nil, "a"])
        #expect(found.first.map { Array($0.payloads.bytes[$0.payloads.ranges[0]]) } == [107, 61, 0xFF])
        #expect(assembler.counts.withoutKey == 1 && assembler.counts.firstWithoutKey == 1)
    }

    @Test func `a search that is given up counts as no match, and is counted`() throws {
        var rules = RecordRules()
        rules.dropped = try LinePattern("(a+)+$")
        var assembler = assembler(rules)
        let hostile = String(repeating: "a", count: 100) + "!"
        let found = assembler.add(Array("b\n\(hostile)\naa\n\(hostile)\n".utf8))
        #expect(found.flatMap(\.payloads.ranges).count == 3 && assembler.position.dropped == 1)
        #expect(assembler.counts.givenUp == 2)
        #expect(assembler.counts.firstGivenUp.map { [String($0.number), $0.pattern] } == ["2", "(a+)+$"])
    }

    @Test func `equal records have the same hashed key, others another`() {
        var rules = RecordRules()
        rules.key = .digest
        let keys = split("a\nb\na\n", rules).keys
        #expect(keys[0] == keys[2] && keys[0] != keys[1] && keys[0]?.count == 32)
    }

    @Test func `header lines are left out at the start of a file only`() {
        var rules = RecordRules()
        rules.skippedHeaderLines = 2
        #expect(split("h1\nh2\na\nb\n", rules).records == ["a", "b"])
        var random = SeededRandom(1)
        var later = assembler(rules, start: 6)
        #expect(split("a\nb\n", by: &later, &random).records == ["a", "b"])
        // A reading that begins again among them has to begin before them.
        var between = assembler(rules)
        #expect(between.add(Array("h1\n".utf8)).isEmpty)
        #expect(between.position.byte == 0)
        #expect(split("h2\na\n", by: &between, &random).records == ["a"])
    }

    @Test func `a record of several lines ends before a line over the limit, wherever that ends`() throws {
        var rules = RecordRules()
        rules.multilineStart = try LinePattern("^>")
        var assembler = assembler(rules, limit: 10)
        let records = assembler.add(Array(">a\nb\n0123456789a".utf8))
        #expect(records.map(\.end.byte) == [5])
        #expect(assembler.isWithinLongLine && assembler.position.byte == 5)
    }

    @Test func `long lines are cut to the limit with their ending, if the rule says so`() {
        var rules = RecordRules()
        rules.longLine = .cut(ending: Array("~\n".utf8))
        let found = split("short\n0123456789abcdef\nend\n", rules, limit: 10, keepsDelimiter: true)
        #expect(found.records == ["short\n", "01234567~\n", "end\n"])
        var random = SeededRandom(1)
        var assembler = assembler(rules, limit: 10, keepsDelimiter: true)
        _ = split("0123456789abcdef\n", by: &assembler, &random)
        #expect(assembler.counts.cutCount == 1 && assembler.counts.refusedCount == 0 && assembler.position.byte == 17)
    }

    @Test func `the lines of a record are joined without the spaces around them`() throws {
        var rules = RecordRules()
        rules.multilineStart = try LinePattern("^S")
        rules.joinsLines = true
        #expect(
            split("S 1  \n\t at x\n at y \nS2\n", rules, keepsDelimiter: true).records == ["S 1at xat y\n", "S2\n"]
        )
    }
}
