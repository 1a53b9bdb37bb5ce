import Foundation
import LineRecords
import RecorderAWS
import RecorderStore
import RecorderTestSupport
import Testing

/// Host, path and offset in records: which records get them, and what they are then.
@Suite struct RecordFieldsTests {
    private func records(
        _ input: [UInt8],
        chunk: Int = 7,
        start: Int = 0,
        _ change: (inout RecordRules) throws -> Void = { _ in }
    ) throws -> (records: [String], keys: [String?], counts: RecordCounts) {
        var fields = RecordFields()
        (fields.path, fields.host, fields.offset, fields.hostName) = ("path", "host", "offset", "h\"1")
        var rules = RecordRules()
        rules.fields = fields
        try change(&rules)
        var assembler = RecordAssembler(rules, path: "/var/a\\b.log", start: start)
        var rest = input[...]
        var found: [AssembledRecords] = []
        while !rest.isEmpty {
            found += assembler.add(Array(rest.prefix(chunk)))
            rest = rest.dropFirst(chunk)
        }
        found += assembler.finish()
        let records = found.flatMap { group in
            group.payloads.ranges.map { String(decoding: group.payloads.bytes[$0], as: UTF8.self) }
        }
        return (records, found.flatMap(\.payloads.keys), assembler.counts)
    }

    private static let members = #""path":"/var/a\\b.log","host":"h\"1","offset":"#

    @Test func `an object gets its members first, and is unchanged otherwise`() throws {
        let input = #"{"a":1,  "b":{"path":2}}"# + "\n{ }\r\n" + #" {"a":"{"} "#
        let found = try records(Array(input.utf8))
        #expect(
            found.records == [
                #"{\#(Self.members)0,"a":1,  "b":{"path":2}}"#, "{\(Self.members)25 }\r",
                #" {\#(Self.members)30,"a":"{"} "#,
            ]
        )
        #expect(found.records.allSatisfy { JSONValue(Array($0.utf8))?.object?.count ?? 0 >= 3 })
        #expect(found.counts.withoutFields == 0)
    }

    @Test func `a member that the record has is kept, and counted`() throws {
        let found = try records(Array(#"{"host":"own","offset":null}"#.utf8))
        #expect(found.records == [#"{"path":"/var/a\\b.log","host":"own","offset":null}"#])
        #expect(found.counts.withoutFields == 1 && found.counts.firstWithoutFields?.fault == .hasMember("host"))
        let all = try records(Array(#"{"host":1,"p\u0061th":2,"offset":3}"#.utf8))
        #expect(all.records == [#"{"host":1,"p\u0061th":2,"offset":3}"#])
    }

    @Test(arguments: [
        "plain", "", "[1]", "{", #"{"a":}"#, #"{"a":1} x"#, #"{"a":1}{"b":2}"#, "\"{\"", "null", "{'a':1}",
    ])
    func `a record that is no JSON object is stored as it is, and counted`(line: String) throws {
        let found = try records(Array("\(line)\n".utf8))
        #expect(found.records == [line])
        #expect(found.counts.withoutFields == 1 && found.counts.firstWithoutFields?.fault == .noObject)
    }

    @Test func `on request a record that is no object becomes one, with its text`() throws {
        let input = Array("a\"b\t\\\r\n".utf8) + [0xFF, 0x41, 0x00, 0x0A] + Array("{}\n".utf8)
        let found = try records(input) { $0.fields?.message = "message" }
        #expect(
            found.records == [
                #"{\#(Self.members)0,"message":"a\"b\u0009\\"}"#, "{\(Self.members)7,\"message\":\"\u{FFFD}A\\u0000\"}",
                "{\(Self.members)11}",
            ]
        )
        for record in found.records { #expect(JSONValue(Array(record.utf8))?.object != nil) }
        #expect(found.counts.withoutFields == 0)
    }

    @Test func `a record of several lines has the offset of its first one`() throws {
        let input = "S1\n a\nS2\n"
        for chunk in 1...9 {
            let found = try records(Array(input.utf8), chunk: chunk, start: 100) {
                $0.multilineStart = try LinePattern("^S")
                $0.fields?.message = "m"
                $0.keepsDelimiter = true
            }
            #expect(
                found.records
                    == [#"{\#(Self.members)100,"m":"S1\n a"}"#, #"{\#(Self.members)106,"m":"S2"}"#].map {
                        $0.replacingOccurrences(of: #"\n"#, with: #"\u000a"#) + "\n"
                    }
            )
        }
    }

    @Test func `a record that would be too long, and one that was cut, is stored without them`() throws {
        let line = #"{"a":1}"#
        let found = try records(Array("\(line)\n".utf8)) { $0.maximumRecordBytes = 40 }
        #expect(found.records == [line] && found.counts.firstWithoutFields?.fault == .tooLong)
        let cut = try records(Array("\(String(repeating: "x", count: 300))\nab\n".utf8)) {
            ($0.maximumRecordBytes, $0.longLine) = (200, .cut(ending: [126]))
            $0.fields?.message = "m"
        }
        #expect(cut.records == [String(repeating: "x", count: 199) + "~", "{\(Self.members)301,\"m\":\"ab\"}"])
        #expect(cut.counts.withoutFields == 1 && cut.counts.firstWithoutFields?.fault == .tooLong)
    }

    @Test func `a field can be the partition key, and patterns are for the line as it was read`() throws {
        let found = try records(Array("{\"a\":1}\nx\n{\"b\":2}\n".utf8)) {
            $0.key = .field("path")
            $0.dropped = try LinePattern("offset|\"b\"")
        }
        #expect(found.keys == ["/var/a\\b.log", nil])
        let keys = try records(Array("{\"a\":1}\n".utf8)) { $0.key = .pattern(try LinePattern("^..a")) }.keys
        #expect(keys == ["{\"a"])
    }
}
