/// The parts of [protobuf](https://protobuf.dev/programming-guides/encoding/) that an aggregated Kinesis record consists of,
/// written straight into a buffer. ``ProtobufReader`` reads them.
package enum Protobuf {
    /// How the value of a field is encoded: the lower three bits of its tag.
    package enum WireType: UInt64 {
        case varint, fixed64, bytes, startGroup, endGroup, fixed32
    }

    /// The size of a field with an integer.
    package static func size(ofInteger value: Int) -> Int { 1 + varintSize(value) }

    /// The size of a field with so many bytes: those of a string or of a message, too.
    package static func size(ofBytes count: Int) -> Int { 1 + varintSize(count) + count }

    /// Appends a field with an integer that is not negative. The field's number is below 16, as everywhere here.
    package static func append(_ value: Int, field: Int, to buffer: inout [UInt8]) {
        buffer.append(tag(field, .varint))
        appendVarint(value, to: &buffer)
    }

    /// Appends the start of a field with so many bytes, which the caller appends next.
    package static func appendHead(ofBytes count: Int, field: Int, to buffer: inout [UInt8]) {
        buffer.append(tag(field, .bytes))
        appendVarint(count, to: &buffer)
    }

    /// Tags of fields from 16 on take more than one byte.
    private static func tag(_ field: Int, _ type: WireType) -> UInt8 {
        precondition(1..<16 ~= field, "no field below 16: \(field)")
        return UInt8(field) << 3 | UInt8(type.rawValue)
    }

    private static func varintSize(_ value: Int) -> Int { max(1, (Int.bitWidth - value.leadingZeroBitCount + 6) / 7) }

    private static func appendVarint(_ value: Int, to buffer: inout [UInt8]) {
        var rest = UInt(value)
        while rest >= 0x80 {
            buffer.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        buffer.append(UInt8(rest))
    }
}
