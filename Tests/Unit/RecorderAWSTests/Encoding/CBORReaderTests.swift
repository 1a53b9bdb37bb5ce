import RecorderAWS
import RecorderTestSupport
import Testing

@Suite struct CBORReaderTests {
    /// Whether the bytes are exactly one well-formed item.
    private func isWellFormed(_ bytes: [UInt8]) -> Bool {
        var reader = CBORReader(bytes[...])
        do {
            try reader.skip()
            return reader.isAtEnd
        } catch {
            return false
        }
    }

    private func value(_ bytes: [UInt8]) throws -> CBORReader.Value {
        var reader = CBORReader(bytes[...])
        let value = try reader.value()
        #expect(reader.isAtEnd)
        return value
    }

    @Test func `text is read with and without a length, and null and undefined are the same`() throws {
        #expect(try value([0x60]) == .text(""))
        #expect(try value([0x62, 0xC3, 0xBC]) == .text("ü"))
        #expect(try value([0x78, 0x03, 0x61, 0x62, 0x63]) == .text("abc"))
        #expect(try value([0x7B, 0, 0, 0, 0, 0, 0, 0, 1, 0x61]) == .text("a"))
        #expect(try value([0x7F, 0x61, 0x61, 0x60, 0x62, 0x62, 0x63, 0xFF]) == .text("abc"))
        #expect(try value([0xF6]) == .null)
        #expect(try value([0xF7]) == .null)
    }

    @Test(
        arguments: [
            [0x00], [0x1B, 255, 255, 255, 255, 255, 255, 255, 255], [0x20],
            [0x3B, 255, 255, 255, 255, 255, 255, 255, 255], [0x40],
            [0x5F, 0x41, 0, 0xFF], [0x80], [0x9F, 0xFF], [0x82, 0, 0], [0xA0], [0xBF, 0xFF], [0xA1, 0x61, 0x61, 0],
            [0xC1, 0x1A, 0, 0, 0, 0],
            [0xE0], [0xF4], [0xF5], [0xF8, 0xFF], [0xF9, 0, 0], [0xFA, 0, 0, 0, 0], [0xFB, 0, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]]
    )
    func `any other item is skipped, and cut off anywhere it is malformed`(bytes: [UInt8]) throws {
        #expect(try value(bytes) == .other)
        for count in bytes.indices { #expect(!isWellFormed(Array(bytes.prefix(count)))) }
        #expect(!isWellFormed(bytes + [0]))
    }

    @Test(
        arguments: [
            [], [0x1C], [0x1F], [0x3F], [0x5C], [0xDF], [0xF8, 0x00], [0xF8, 0x1F], [0xFC], [0xFF], [0x81, 0xFF],
            [0xBF, 0, 0xFF],
            [0x5F, 0x61, 0x61, 0xFF], [0x7F, 0x41, 0x61, 0xFF], [0x7F, 0x7F, 0x61, 0x61, 0xFF, 0xFF], [0x61, 0xFF],
            [0x7F, 0x61, 0xC3, 0x61, 0xBC, 0xFF],
            [0x7F, 0x61], [0x9F], [0xC1],
        ] as [[UInt8]]
    )
    func `what is not well-formed, or not UTF-8, is malformed`(bytes: [UInt8]) {
        #expect(!isWellFormed(bytes))
    }

    @Test(arguments: [0x40, 0x60, 0x80, 0xA0] as [UInt8])
    func `a declared length beyond the end is malformed, whatever it is`(type: UInt8) {
        for length: UInt64 in [2, 1 << 16, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max] {
            let head = [type | 27] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
            #expect(!isWellFormed(head + [0x60]))
        }
    }

    @Test(arguments: [[0x81], [0x9F], [0xA1, 0x60], [0xBF, 0x60], [0xC1]] as [[UInt8]])
    func `nesting is limited`(item: [UInt8]) {
        let ends = item[0] == 0x9F || item[0] == 0xBF
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeatElement(item, count: depth).joined()) + [0] + Array(repeating: 0xFF, count: ends ? depth : 0)
        }
        #expect(isWellFormed(nested(CBORReader.maximumDepth - 1)))
        #expect(!isWellFormed(nested(CBORReader.maximumDepth)))
        #expect(!isWellFormed(nested(1 << 20)))
    }
}
