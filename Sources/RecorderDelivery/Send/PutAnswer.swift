import RecorderAWS
package import RecorderStore

/// What the service answered for each record of a request.
package enum PutAnswer: Sendable, Hashable {
    /// One outcome a record, in the order of the request.
    case outcomes([Outcome])
    /// The answer says nothing about any record; the text says why.
    case unreadable(String)

    /// Reads the body of a 200, in JSON or in CBOR.
    ///
    /// A record counts as delivered if its own entry proves it. The answer's counters and the absence of an error code prove
    /// nothing: both have been wrong.
    package init(_ body: [UInt8], to service: StreamServiceDescription, records: Int) {
        guard !CBOR.mayBeMap(body) else {
            self.init(cbor: body, to: service, records: records)
            return
        }
        var scanner = AnswerScanner(body, service: service)
        if let outcomes = scanner.outcomes(expecting: records), outcomes.count == records {
            self = .outcomes(outcomes)
            return
        }
        guard let object = JSONValue(body)?.object else {
            self = .unreadable("The service's answer is not a JSON object (\(body.count) bytes).")
            return
        }
        guard let entries = object[service.entriesField]?.list else {
            self = .unreadable("The service's answer has no \(service.entriesField).")
            return
        }
        guard entries.count == records else {
            self = .unreadable(Self.wrongCount(entries.count, of: records))
            return
        }
        self = .outcomes(entries.map { Self.outcome(of: $0.object ?? [:], service: service) })
    }

    /// The name of each entry's shard, in the order of the request; an empty one where the answer names none. Reads the whole
    /// answer, and is for requests whose entries records share.
    static func shards(_ body: [UInt8], of service: StreamServiceDescription) -> [String] {
        guard !CBOR.mayBeMap(body) else { return shards(cbor: body, of: service) }
        let entries = JSONValue(body)?.object?[service.entriesField]?.list ?? []
        return entries.map { $0.object?[shardField]?.string ?? "" }
    }

    static let shardField = "ShardId"

    static func wrongCount(_ answered: Int, of records: Int) -> String {
        "The service answered for \(answered) of \(records) entries."
    }

    private static func outcome(of entry: [String: JSONValue], service: StreamServiceDescription) -> Outcome {
        switch entry["ErrorCode"] {
        case nil, .null, .string(""): break
        case .string(let code): return Outcome(code: code, message: entry["ErrorMessage"]?.string ?? "")
        // There is a code, in an unknown form.
        default: return .unproven
        }
        if let proof = entry[service.proofField]?.string, !proof.isEmpty { return .delivered }
        return .unproven
    }
}

/// Reads the usual answer of the services without building objects.
///
/// It knows only plain JSON: ASCII strings without escapes, integers, `true`, `false` and `null`. With anything else, including
/// a duplicate field, it gives up, and the full JSON reader decides. So it never calls a record delivered that the full reader
/// would not.
struct AnswerScanner {
    private let bytes: [UInt8]
    private let entriesField: [UInt8]
    private let proofField: [UInt8]
    private let usualStart: [UInt8]
    private let usualShard = Array(#"","ShardId":""#.utf8)
    private var index = 0
    private static let errorCode = Array("ErrorCode".utf8)
    private static let errorMessage = Array("ErrorMessage".utf8)

    init(_ bytes: [UInt8], service: StreamServiceDescription) {
        self.bytes = bytes
        entriesField = Array(service.entriesField.utf8)
        proofField = Array(service.proofField.utf8)
        usualStart = Array(#"{"\#(service.proofField)":""#.utf8)
    }

    /// One outcome per entry; nil if the full reader must decide.
    mutating func outcomes(expecting count: Int) -> [Outcome]? {
        var found: [Outcome]?
        guard take("{") else { return nil }
        repeat {
            guard let field = string(), take(":") else { return nil }
            if text(at: field, equals: entriesField) {
                guard found == nil, let entries = entries(expecting: count) else { return nil }
                found = entries
            } else {
                guard string() != nil || literal() else { return nil }
            }
        } while take(",")
        guard take("}"), isAtEnd() else { return nil }
        return found
    }

    private mutating func entries(expecting count: Int) -> [Outcome]? {
        guard take("[") else { return nil }
        var outcomes: [Outcome] = []
        outcomes.reserveCapacity(count)
        repeat {
            guard let outcome = takeUsual() ? .delivered : entry() else { return nil }
            outcomes.append(outcome)
        } while take(",")
        return take("]") ? outcomes : nil
    }

    /// Reads the usual entry, of an accepted record, with its proof and at most its shard. Returns false without moving on if it
    /// is another one.
    private mutating func takeUsual() -> Bool {
        guard let proof = PlainText.end(of: usualStart, in: bytes, at: index) else { return false }
        var end = PlainText.end(in: bytes, from: proof)
        guard end > proof else { return false }
        if let shard = PlainText.end(of: usualShard, in: bytes, at: end) {
            end = PlainText.end(in: bytes, from: shard)
        }
        guard end + 1 < bytes.count, bytes[end] == UInt8(ascii: "\""), bytes[end + 1] == UInt8(ascii: "}") else {
            return false
        }
        index = end + 2
        return true
    }

    private mutating func entry() -> Outcome? {
        var proof: Range<Int>?
        var code: Range<Int>?
        var message: Range<Int>?
        guard take("{") else { return nil }
        repeat {
            guard let field = string(), take(":") else { return nil }
            if text(at: field, equals: proofField) {
                guard proof == nil, let value = string() else { return nil }
                proof = value
            } else if text(at: field, equals: Self.errorCode) {
                guard code == nil, let value = string() else { return nil }
                code = value
            } else if text(at: field, equals: Self.errorMessage) {
                guard message == nil, let value = string() else { return nil }
                message = value
            } else {
                guard string() != nil || literal() else { return nil }
            }
        } while take(",")
        guard take("}") else { return nil }
        if let code, !code.isEmpty { return Outcome(code: text(code), message: message.map(text) ?? "") }
        return proof?.isEmpty == false ? .delivered : .unproven
    }

    // MARK: - tokens

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): index += 1
            default: return
            }
        }
    }

    private mutating func take(_ token: Unicode.Scalar) -> Bool {
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: token) else { return false }
        index += 1
        return true
    }

    private mutating func isAtEnd() -> Bool {
        skipSpace()
        return index == bytes.count
    }

    /// The range inside the quotes of a plain string; nil, without moving on, if there is none.
    private mutating func string() -> Range<Int>? {
        skipSpace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        let end = PlainText.end(in: bytes, from: index + 1)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
        defer { index = end + 1 }
        return index + 1..<end
    }

    private func text(at range: Range<Int>, equals name: [UInt8]) -> Bool {
        guard range.count == name.count else { return false }
        return name.indices.allSatisfy { bytes[range.lowerBound + $0] == name[$0] }
    }

    /// An integer of up to 15 digits, or true, false, null.
    private mutating func literal() -> Bool {
        skipSpace()
        var end = index
        while end < bytes.count, Self.isLiteral(bytes[end]) { end += 1 }
        defer { index = end }
        switch String(decoding: bytes[index..<end], as: UTF8.self) {
        case "true", "false", "null", "0": return true
        case let digits:
            return (1...15).contains(digits.utf8.count) && digits.first != "0" && digits.allSatisfy(\.isNumber)
        }
    }

    private static func isLiteral(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}
