import RecorderAWS
import Testing

@Suite struct JSONValueTests {
    private func value(_ text: String) -> JSONValue? { JSONValue(Array(text.utf8)) }

    @Test func `a value of each kind is read`() {
        #expect(
            value(#" {"a": [1, -0.5, true, false, null, "x"], "b": {}, "c": []} "#)
                == .object([
                    "a": .list([.integer(1), .double(-0.5), .bool(true), .bool(false), .null, .string("x")]),
                    "b": .object([:]),
                    "c": .list([]),
                ])
        )
    }

    @Test func `a whole number in the range of Int is exact, any other one is a Double`() {
        #expect(value("9223372036854775807") == .integer(.max))
        #expect(value("-9223372036854775808") == .integer(.min))
        #expect(value("9223372036854775808") == .double(0x1p63))
        #expect(value("1e3") == .double(1000))
        #expect(value("-0") == .integer(0))
    }

    @Test func `escapes and surrogate pairs are decoded`() {
        #expect(value(#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00é""#) == .string("\"\\/\u{8}\u{C}\n\r\té😀é"))
    }

    @Test func `of members with the same name the last one counts`() {
        #expect(value(#"{"a":1,"\u0061":2}"#) == .object(["a": .integer(2)]))
    }

    @Test(arguments: [
        "", " ", "nul", "01", "+1", ".5", "1.", "1e", "-", "1e999", "NaN", "[1,]", "[,1]", "[1 2]", "[", "{\"a\":1,}",
        "{\"a\"}",
        "{a:1}", "{\"a\":1", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u+123\"", "\"\\ud83d\"", "\"\\ud83dx\"", "\"\\ude00\"",
        "\"\u{1}\"",
        "\"\n\"", "'a'", "1 2", "[1]]", "\u{FEFF}1", "1 // x",
    ])
    func `a text that is not JSON has no value`(text: String) {
        #expect(value(text) == nil)
    }

    @Test func `bytes that are not UTF-8 have no value`() {
        #expect(JSONValue([0x22, 0xFF, 0x22]) == nil)
        #expect(JSONValue([0x22, 0x5C, 0x6E, 0xC3, 0x22]) == nil)
        #expect(JSONValue([0x31, 0x00]) == nil)
    }

    @Test func `512 levels are read, more are refused, without running out of stack`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(value(nested(512)) != nil)
        #expect(value(nested(513)) == nil)
        #expect(value(String(repeating: "{\"a\":", count: 1_000_000)) == nil)
    }
}
