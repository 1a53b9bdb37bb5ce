import Foundation

/// Reads the entries of a PutRecords request quickly, so that a service in a test is not what limits throughput.
///
/// It expects compact JSON, as the engine writes it, and leaves anything else to ``PutRequestBody``.
package struct PutEntryReader {
    private let body: [UInt8]
    private var position = 0

    /// The entries of a request; none if it cannot be read.
    package static func entries(in request: ReceivedRequest) -> [ShardedStream.Entry] {
        if !request.isCBOR {
            var reader = PutEntryReader(request.body)
            if let entries = reader.entries() { return entries }
        }
        return PutRequestBody(request.body).records.map {
            ShardedStream.Entry(data: Array($0.data), partitionKey: $0.partitionKey ?? "")
        }
    }

    private init(_ body: [UInt8]) {
        self.body = body
    }

    private mutating func entries() -> [ShardedStream.Entry]? {
        guard let list = body.firstRange(of: Array(#""Records":["#.utf8)) else { return nil }
        position = list.upperBound
        var entries: [ShardedStream.Entry] = []
        while true {
            guard takes(UInt8(ascii: "{")) else { return takes(UInt8(ascii: "]")) ? entries : nil }
            guard let entry = entry() else { return nil }
            entries.append(entry)
            _ = takes(UInt8(ascii: ","))
        }
    }

    private mutating func entry() -> ShardedStream.Entry? {
        var data: [UInt8]?
        var key = ""
        var hashKey: UInt128?
        while let name = string() {
            guard takes(UInt8(ascii: ":")), let value = string() else { return nil }
            switch name.count {
            case 4: data = Data(base64Encoded: Data(value)).map { Array($0) }
            case 12: key = String(decoding: value, as: UTF8.self)
            case 15: hashKey = UInt128(String(decoding: value, as: UTF8.self))
            default: return nil
            }
            if takes(UInt8(ascii: "}")) {
                return data.map { ShardedStream.Entry(data: $0, partitionKey: key, explicitHashKey: hashKey) }
            }
            guard takes(UInt8(ascii: ",")) else { return nil }
        }
        return nil
    }

    private mutating func takes(_ byte: UInt8) -> Bool {
        guard position < body.count, body[position] == byte else { return false }
        position += 1
        return true
    }

    /// A string without escapes.
    private mutating func string() -> ArraySlice<UInt8>? {
        guard takes(UInt8(ascii: "\"")), let end = next(UInt8(ascii: "\""), before: body.count) else { return nil }
        guard next(UInt8(ascii: "\\"), before: end) == nil else { return nil }
        defer { position = end + 1 }
        return body[position..<end]
    }

    /// The first such byte from here. Much faster than `firstIndex(of:)` where nothing is optimized.
    private func next(_ byte: UInt8, before end: Int) -> Int? {
        body.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return nil }
            return memchr(start + position, CInt(byte), end - position).map { start.distance(to: $0) }
        }
    }
}
