import RecordFormats
import RecorderAWS
import Testing

@Suite struct ProtobufTests {
    private func fields(_ bytes: [UInt8]) throws -> [(field: Int, value: ProtobufReader.Value)] {
        var reader = ProtobufReader(bytes[...])
        var fields: [(field: Int, value: ProtobufReader.Value)] = []
        while let field = try reader.next() { fields.append(field) }
        return fields
    }

    private func isWellFormed(_ bytes: [UInt8]) -> Bool { (try? fields(bytes)) != nil }

    @Test(
        arguments: [
            (0, [0]), (1, [1]), (127, [0x7F]), (128, [0x80, 1]), (150, [0x96, 1]), (16_383, [0xFF, 0x7F]),
            (16_384, [0x80, 0x80, 1]), (1 << 32, [0x80, 0x80, 0x80, 0x80, 0x10]),
            (.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
        ] as [(Int, [UInt8])]
    )
    func `an integer has seven bits a byte, and its size is known before`(value: Int, varint: [UInt8]) throws {
        var bytes: [UInt8] = []
        Protobuf.append(value, field: 1, to: &bytes)
        #expect(bytes == [0x08] + varint)
        #expect(Protobuf.size(ofInteger: value) == bytes.count)
        #expect(try fields(bytes).map(\.value) == [.integer(UInt64(value))])
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 100_000])
    func `bytes follow their length`(count: Int) throws {
        let content = [UInt8](repeating: 7, count: count)
        var bytes: [UInt8] = []
        Protobuf.appendHead(ofBytes: count, field: 15, to: &bytes)
        bytes += content
        #expect(bytes[0] == 0x7A)
        #expect(Protobuf.size(ofBytes: count) == bytes.count)
        #expect(try fields(bytes).map(\.value) == [.bytes(content[...])])
        #expect(!isWellFormed(Array(bytes.dropLast())))
    }

    @Test func `fields of all numbers and types are read in order`() throws {
        let bytes: [UInt8] = [
            0x08, 1, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x1D, 1, 2, 3, 4, 0x22, 1, 0x61,
            0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1,
        ]
        let fields = try fields(bytes)
        #expect(fields.map(\.field) == [1, 2, 3, 4, (1 << 29) - 1])
        #expect(fields.map(\.value) == [.integer(1), .other, .other, .bytes([0x61]), .integer(.max)])
        let ends: Set = [0, 2, 11, 16, 19, bytes.count]
        for count in 0...bytes.count {
            #expect(isWellFormed(Array(bytes.prefix(count))) == ends.contains(count), "\(count)")
        }
    }

    @Test(
        arguments: [
            [0x00, 0], [0x02, 0], [0x0B], [0x0C], [0x0B, 0x14], [0x0E, 0], [0x0F, 0],
            [0x80, 0x80, 0x80, 0x80, 0x10, 0],
            [0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
        ] as [[UInt8]]
    )
    func `field 0, groups without an end, unknown types, and tags or integers that are too long are malformed`(
        bytes: [UInt8]
    ) {
        #expect(!isWellFormed(bytes))
    }

    @Test func `groups are passed over, and bits of an integer beyond the 64th are dropped, as protobuf does`() throws {
        #expect(try fields([0x0B, 0x10, 1, 0x0C, 0x10, 2]).map(\.field).last == 2)
        let wide: [UInt8] = [0x08, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2]
        #expect(try fields(wide).map(\.value) == [.integer(1)])
    }

    @Test func `a declared length beyond the end is malformed, whatever it is`() {
        for length: UInt64 in [1, 127, 128, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max] {
            var (bytes, rest): ([UInt8], UInt64) = ([0x0A], length)
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            #expect(!isWellFormed(bytes + [UInt8(rest)]))
        }
    }
}
