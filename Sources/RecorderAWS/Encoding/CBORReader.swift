/// Reads any well-formed CBOR, one item after the other.
///
/// It builds no tree and allocates nothing by a length that the input declares, so that memory and time are bounded by the
/// size of the input. Items within items are limited to ``maximumDepth``.
package struct CBORReader {
    /// The input is not well-formed, is cut off, or nests too deeply.
    package struct NotWellFormed: Error {
        package init() {}
    }

    /// An item, as far as answers of services need it.
    package enum Value: Equatable, Sendable {
        case text(String)
        /// `null` or `undefined`.
        case null
        /// Any other item; it was skipped.
        case other
    }

    /// An array or a map that is being read.
    package struct Container {
        /// The items, or pairs of items, left; nil if a break ends it.
        fileprivate var left: UInt64?
    }

    /// The deepest nesting that is read.
    package static let maximumDepth = 64

    private let bytes: ArraySlice<UInt8>
    /// The index of the next item.
    package private(set) var index: Int

    /// A reader at the start of `bytes`, after the tag that may mark them as CBOR.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
        if bytes.starts(with: CBOR.selfDescription) { index += CBOR.selfDescription.count }
    }

    package var isAtEnd: Bool { index == bytes.endIndex }

    // MARK: - items

    /// Enters the map that follows; nil, without moving on, if another item follows.
    package mutating func beginMap() throws(NotWellFormed) -> Container? { try begin(.map) }

    /// Enters the array that follows; nil, without moving on, if another item follows.
    package mutating func beginArray() throws(NotWellFormed) -> Container? { try begin(.array) }

    /// Whether the container has another item, or in a map another pair, to be read now. Otherwise the container is left.
    package mutating func hasNext(in container: inout Container) throws(NotWellFormed) -> Bool {
        if let left = container.left {
            container.left = left == 0 ? 0 : left - 1
            return left > 0
        }
        guard index < bytes.endIndex else { throw NotWellFormed() }
        guard bytes[index] == CBOR.breakByte else { return true }
        index += 1
        return false
    }

    /// Reads the next item.
    package mutating func value() throws(NotWellFormed) -> Value {
        guard index < bytes.endIndex else { throw NotWellFormed() }
        switch (bytes[index], bytes[index] >> 5) {
        case (CBOR.null, _), (CBOR.undefined, _):
            index += 1
            return .null
        case (_, CBOR.MajorType.text.rawValue):
            let head = try head()
            guard let length = head.length else { return .text(try chunks(of: .text)) }
            return .text(try text(length))
        default:
            try skip()
            return .other
        }
    }

    /// Reads the next item, a byte string of definite length; returns its range.
    package mutating func byteString() throws(NotWellFormed) -> Range<Int> { try string(.bytes) }

    /// Reads the next item, a text string of definite length; returns its range, and does not check its encoding.
    package mutating func textString() throws(NotWellFormed) -> Range<Int> { try string(.text) }

    /// Skips the next item, after checking it.
    package mutating func skip() throws(NotWellFormed) { try skip(depth: 1) }

    // MARK: - parts of items

    private struct Head {
        let type: CBOR.MajorType
        /// The argument; nil for an indefinite length.
        let length: UInt64?
    }

    private mutating func head() throws(NotWellFormed) -> Head {
        let first = try byte()
        guard let type = CBOR.MajorType(rawValue: first >> 5) else { throw NotWellFormed() }
        switch first & 0x1F {
        case let value where value < 24: return Head(type: type, length: UInt64(value))
        case let value where value < 28:
            var argument: UInt64 = 0
            for _ in 0..<(1 << (value - 24)) { argument = argument << 8 | UInt64(try byte()) }
            // A simple value below 32 has only the short form.
            guard type != .simple || value != 24 || argument >= 32 else { throw NotWellFormed() }
            return Head(type: type, length: argument)
        case 31 where [.bytes, .text, .array, .map].contains(type): return Head(type: type, length: nil)
        default: throw NotWellFormed()
        }
    }

    private mutating func byte() throws(NotWellFormed) -> UInt8 {
        guard index < bytes.endIndex else { throw NotWellFormed() }
        defer { index += 1 }
        return bytes[index]
    }

    /// Moves on by a declared length, which must be there.
    private mutating func take(_ length: UInt64) throws(NotWellFormed) -> Range<Int> {
        guard length <= UInt64(bytes.endIndex - index) else { throw NotWellFormed() }
        let start = index
        index += Int(length)
        return start..<index
    }

    private mutating func text(_ length: UInt64) throws(NotWellFormed) -> String {
        guard let text = String(validating: bytes[try take(length)], as: UTF8.self) else { throw NotWellFormed() }
        return text
    }

    private mutating func string(_ type: CBOR.MajorType) throws(NotWellFormed) -> Range<Int> {
        let head = try head()
        guard head.type == type, let length = head.length else { throw NotWellFormed() }
        return try take(length)
    }

    /// Reads the chunks of a string of indefinite length, up to its break. Returns the text; none for bytes.
    private mutating func chunks(of type: CBOR.MajorType) throws(NotWellFormed) -> String {
        var joined = ""
        var container = Container(left: nil)
        while try hasNext(in: &container) {
            let head = try head()
            guard head.type == type, let length = head.length else { throw NotWellFormed() }
            if type == .text { joined += try text(length) } else { _ = try take(length) }
        }
        return joined
    }

    private mutating func begin(_ type: CBOR.MajorType) throws(NotWellFormed) -> Container? {
        guard index < bytes.endIndex, bytes[index] >> 5 == type.rawValue else { return nil }
        return try container(try head())
    }

    private func container(_ head: Head) throws(NotWellFormed) -> Container {
        // Each item takes a byte at least.
        let items = UInt64(bytes.endIndex - index) / (head.type == .map ? 2 : 1)
        if let length = head.length, length > items { throw NotWellFormed() }
        return Container(left: head.length)
    }

    private mutating func skip(depth: Int) throws(NotWellFormed) {
        guard depth <= Self.maximumDepth else { throw NotWellFormed() }
        let head = try head()
        switch head.type {
        case .unsigned, .negative, .simple: break
        case .bytes, .text:
            guard let length = head.length else {
                _ = try chunks(of: head.type)
                return
            }
            if head.type == .text { _ = try text(length) } else { _ = try take(length) }
        case .array, .map:
            var container = try container(head)
            while try hasNext(in: &container) {
                try skip(depth: depth + 1)
                if head.type == .map { try skip(depth: depth + 1) }
            }
        case .tag: try skip(depth: depth + 1)
        }
    }
}
