import RecorderAWS
import RecorderStore

/// Reads the usual answer of Kinesis in CBOR without building objects, as `AnswerScanner` does for JSON.
///
/// It knows only short ASCII text, integers, `true`, `false` and `null`, in maps and arrays of definite or indefinite length.
/// With anything else, including a duplicate field, it gives up, and the general reader decides. So it never calls a record
/// delivered that the general reader would not.
struct CBORAnswerScanner {
    private let bytes: [UInt8]
    private let entriesField: [UInt8]
    private let proofField: [UInt8]
    private let proofKey: [UInt8]
    private var index = 0
    private static let errorCode = Array("ErrorCode".utf8)
    private static let errorMessage = Array("ErrorMessage".utf8)
    private static let shardKey = key("ShardId")

    init(_ bytes: [UInt8], service: StreamServiceDescription) {
        self.bytes = bytes
        entriesField = Array(service.entriesField.utf8)
        proofField = Array(service.proofField.utf8)
        proofKey = Self.key(service.proofField)
    }

    /// A key with its head.
    private static func key(_ name: String) -> [UInt8] {
        var key: [UInt8] = []
        CBOR.appendText(name.utf8, to: &key)
        return key
    }

    /// One outcome per entry; nil if the general reader must decide.
    mutating func outcomes(expecting count: Int) -> [Outcome]? {
        var found: [Outcome]?
        guard var members = begin(.map) else { return nil }
        while hasNext(in: &members) {
            guard let field = text() else { return nil }
            if text(at: field, equals: entriesField) {
                guard found == nil, let entries = entries(expecting: count) else { return nil }
                found = entries
            } else {
                guard text() != nil || literal() else { return nil }
            }
        }
        return index == bytes.count ? found : nil
    }

    private mutating func entries(expecting count: Int) -> [Outcome]? {
        guard var entries = begin(.array) else { return nil }
        var outcomes: [Outcome] = []
        outcomes.reserveCapacity(count)
        while hasNext(in: &entries) {
            guard outcomes.count < count, let outcome = takeUsual() ? .delivered : entry() else { return nil }
            outcomes.append(outcome)
        }
        return outcomes
    }

    /// Reads the usual entry, of an accepted record, with its proof and then its shard. Returns false without moving on if it is
    /// another one.
    private mutating func takeUsual() -> Bool {
        let start = index
        guard let members = begin(.map), let proof = PlainText.end(of: proofKey, in: bytes, at: index) else {
            index = start
            return false
        }
        index = proof
        if let value = text(), !value.isEmpty, let shard = PlainText.end(of: Self.shardKey, in: bytes, at: index) {
            index = shard
            if text() != nil, members.ends(after: 2, next: index < bytes.count ? bytes[index] : 0) {
                index += members.isIndefinite ? 1 : 0
                return true
            }
        }
        index = start
        return false
    }

    private mutating func entry() -> Outcome? {
        var proof: Range<Int>?
        var code: Range<Int>?
        var message: Range<Int>?
        guard var members = begin(.map) else { return nil }
        while hasNext(in: &members) {
            guard let field = text() else { return nil }
            if text(at: field, equals: proofField) {
                guard proof == nil, let value = text() else { return nil }
                proof = value
            } else if text(at: field, equals: Self.errorCode) {
                guard code == nil, let value = text() else { return nil }
                code = value
            } else if text(at: field, equals: Self.errorMessage) {
                guard message == nil, let value = text() else { return nil }
                message = value
            } else {
                guard text() != nil || literal() else { return nil }
            }
        }
        if let code, !code.isEmpty { return Outcome(code: text(code), message: message.map(text) ?? "") }
        return proof?.isEmpty == false ? .delivered : .unproven
    }

    // MARK: - items

    /// What is left of a map or an array of up to 65,535 items.
    private struct Container {
        /// nil if a break ends it.
        var left: Int?
        var isIndefinite: Bool { left == nil }

        /// Whether it ends after `count` items, if `next` is the byte after them.
        func ends(after count: Int, next: UInt8) -> Bool { left.map { $0 == count } ?? (next == CBOR.breakByte) }
    }

    /// Enters a container; nil if there is none.
    private mutating func begin(_ type: CBOR.MajorType) -> Container? {
        guard index < bytes.count, bytes[index] >> 5 == type.rawValue else { return nil }
        if bytes[index] & 0x1F == 31 {
            index += 1
            return Container(left: nil)
        }
        return length().map { Container(left: $0) }
    }

    private mutating func hasNext(in container: inout Container) -> Bool {
        if let left = container.left {
            container.left = left - 1
            return left > 0
        }
        guard index < bytes.count, bytes[index] == CBOR.breakByte else { return true }
        index += 1
        return false
    }

    /// Reads a head with a length of up to two bytes.
    private mutating func length() -> Int? {
        let info = bytes[index] & 0x1F
        let extra = info < 24 ? 0 : info == 24 ? 1 : 2
        guard info <= 25, index + extra < bytes.count else { return nil }
        defer { index += 1 + extra }
        switch extra {
        case 0: return Int(info)
        case 1: return Int(bytes[index + 1])
        default: return Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
        }
    }

    /// The range of an ASCII text; nil, without moving on, if there is none.
    private mutating func text() -> Range<Int>? {
        guard index < bytes.count, bytes[index] >> 5 == CBOR.MajorType.text.rawValue else { return nil }
        let start = index
        guard let length = length(), length <= bytes.count - index,
            PlainText.isASCII(bytes, in: index..<index + length)
        else {
            index = start
            return nil
        }
        defer { index += length }
        return index..<index + length
    }

    private func text(at range: Range<Int>, equals name: [UInt8]) -> Bool {
        guard range.count == name.count else { return false }
        return name.indices.allSatisfy { bytes[range.lowerBound + $0] == name[$0] }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// An integer of up to two bytes, or true, false, null.
    private mutating func literal() -> Bool {
        guard index < bytes.count else { return false }
        switch bytes[index] {
        // False, true, null.
        case 0xF4...0xF6:
            index += 1
            return true
        // The types of integers.
        case 0x00..<0x40: return length() != nil
        default: return false
        }
    }
}
