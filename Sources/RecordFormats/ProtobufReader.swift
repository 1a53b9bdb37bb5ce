/// Reads the fields of a protobuf message, one after the other.
///
/// It builds no tree and allocates nothing by a length that the input declares, so that memory and time are bounded by the
/// size of the input. Groups, an obsolete form of a field, are skipped.
package struct ProtobufReader {
    /// The input is not well-formed or is cut off.
    package struct NotWellFormed: Error {}

    /// The value of a field.
    package enum Value: Equatable, Sendable {
        case integer(UInt64)
        /// Bytes, a string or a message.
        case bytes(ArraySlice<UInt8>)
        /// A value of four or eight bytes, or a group; it was skipped.
        case other
    }

    private var rest: ArraySlice<UInt8>

    /// A reader at the start of a message.
    package init(_ message: ArraySlice<UInt8>) { rest = message }

    /// Reads the next field; nil at the end of the message.
    package mutating func next() throws(NotWellFormed) -> (field: Int, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let (field, type) = try tag()
        return (field, try value(type, of: field, depth: 0))
    }

    /// Groups within groups, as protobuf's own libraries limit them.
    private static let maximumDepth = 100

    private mutating func tag() throws(NotWellFormed) -> (field: Int, type: Protobuf.WireType?) {
        let length = rest.count
        let tag = try varint()
        guard let tag = UInt32(exactly: tag), tag >> 3 > 0, length - rest.count <= 5 else { throw NotWellFormed() }
        return (Int(tag >> 3), Protobuf.WireType(rawValue: UInt64(tag & 7)))
    }

    private mutating func value(
        _ type: Protobuf.WireType?,
        of field: Int,
        depth: Int
    ) throws(NotWellFormed) -> Value {
        switch type {
        case .varint: return .integer(try varint())
        case .bytes: return .bytes(try take(try varint()))
        case .fixed64: _ = try take(8)
        case .fixed32: _ = try take(4)
        case .startGroup: try skipGroup(field, depth: depth + 1)
        case .endGroup, nil: throw NotWellFormed()
        }
        return .other
    }

    private mutating func skipGroup(_ field: Int, depth: Int) throws(NotWellFormed) {
        guard depth <= Self.maximumDepth else { throw NotWellFormed() }
        while true {
            let (inner, type) = try tag()
            if type == .endGroup {
                guard inner == field else { throw NotWellFormed() }
                return
            }
            _ = try value(type, of: inner, depth: depth)
        }
    }

    /// Reads an integer of seven bits a byte, the lowest first. Of one that is longer than 64 bits, those above are ignored.
    private mutating func varint() throws(NotWellFormed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: UInt64.bitWidth, by: 7) {
            guard let byte = rest.popFirst() else { throw NotWellFormed() }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw NotWellFormed()
    }

    /// Moves on by a declared length, which must be there.
    private mutating func take(_ length: UInt64) throws(NotWellFormed) -> ArraySlice<UInt8> {
        guard length <= UInt64(rest.count) else { throw NotWellFormed() }
        defer { rest = rest.dropFirst(Int(length)) }
        return rest.prefix(Int(length))
    }
}
