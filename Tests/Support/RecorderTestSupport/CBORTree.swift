import Foundation

/// CBOR as the trees of JSONSerialization, with `Data` for bytes; written from RFC 8949, independently of the engine's.
package enum CBORTree {
    private struct Unreadable: Error {}

    /// What stands for an item that JSON does not have, and for an object with a field twice.
    package struct Other: Sendable {}

    /// The object that a whole document encodes; nil if it is not exactly one well-formed map.
    package static func object(_ document: [UInt8]) -> [String: Any]? {
        var input = document[...]
        if input.starts(with: [0xD9, 0xD9, 0xF7]) { input = input.dropFirst(3) }
        guard let value = try? read(&input, depth: 1), input.isEmpty else { return nil }
        return value as? [String: Any]
    }

    private static func read(_ input: inout ArraySlice<UInt8>, depth: Int) throws -> Any {
        guard depth <= 80, let first = input.popFirst(), first != 0xFF else { throw Unreadable() }
        let (type, info) = (first >> 5, first & 31)
        guard info < 28 || info == 31 && (2...5).contains(type) else { throw Unreadable() }
        let width = info < 24 || info == 31 ? 0 : 1 << (Int(info) - 24)
        guard input.count >= width else { throw Unreadable() }
        let argument = width == 0 ? UInt64(info) : input.prefix(width).reduce(0) { $0 << 8 | UInt64($1) }
        input = input.dropFirst(width)
        let count = info == 31 ? nil : argument
        switch type {
        case 0: return NSNumber(value: argument)
        case 1: return Other()
        case 2: return Data(try string(&input, type, count))
        case 3: return try text(try string(&input, type, count))
        case 4: return try items(&input, count, depth).map(\.self)
        case 5: return object(of: try items(&input, count.map { $0 > 1 << 40 ? $0 : 2 * $0 }, depth))
        case 6:
            _ = try read(&input, depth: depth + 1)
            return Other()
        default: return try simple(argument, info)
        }
    }

    private static func simple(_ argument: UInt64, _ info: UInt8) throws -> Any {
        guard info != 24 || argument > 31 else { throw Unreadable() }
        switch (info, argument) {
        case (20...21, _): return NSNumber(value: info == 21)
        case (22...23, _): return NSNull()
        default: return Other()
        }
    }

    private static func string(_ input: inout ArraySlice<UInt8>, _ type: UInt8, _ count: UInt64?) throws -> [UInt8] {
        guard let count else {
            var joined: [UInt8] = []
            while input.first != 0xFF {
                guard let first = input.first, first >> 5 == type, first & 31 != 31 else { throw Unreadable() }
                let chunk = try read(&input, depth: 1)
                joined += (chunk as? Data).map(Array.init) ?? Array((chunk as? String ?? "").utf8)
            }
            input = input.dropFirst()
            return joined
        }
        guard count <= UInt64(input.count) else { throw Unreadable() }
        defer { input = input.dropFirst(Int(count)) }
        return Array(input.prefix(Int(count)))
    }

    private static func text(_ bytes: [UInt8]) throws -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        // Invalid bytes were replaced, which changes them.
        guard Array(text.utf8) == bytes else { throw Unreadable() }
        return text
    }

    private static func items(_ input: inout ArraySlice<UInt8>, _ count: UInt64?, _ depth: Int) throws -> [Any] {
        guard count ?? 0 <= UInt64(input.count) else { throw Unreadable() }
        var items: [Any] = []
        while count.map({ items.count < $0 }) ?? (input.first != 0xFF) {
            items.append(try read(&input, depth: depth + 1))
        }
        if count == nil { input = input.dropFirst() }
        return items
    }

    /// An object; `Other` under the key "" if it has a field twice.
    private static func object(of items: [Any]) -> Any {
        guard items.count % 2 == 0 else { return Other() }
        var object: [String: Any] = [:]
        for index in stride(from: 0, to: items.count, by: 2) {
            guard let key = items[index] as? String else { continue }
            object[key] = object[key] == nil ? items[index + 1] : Other()
        }
        return object
    }

    // MARK: - encoding

    /// Encodes a tree of JSONSerialization. Jackson, which the services use, writes `indefinite` lengths.
    package static func document(_ value: Any, indefinite: Bool = false) -> [UInt8] {
        switch value {
        case let text as String: return head(3, text.utf8.count) + text.utf8
        case let bytes as Data: return head(2, bytes.count) + bytes
        case let items as [Any]:
            let parts = items.flatMap { document($0, indefinite: indefinite) }
            return indefinite ? [0x9F] + parts + [0xFF] : head(4, items.count) + parts
        case let object as [String: Any]:
            let parts = object.sorted { $0.key < $1.key }.flatMap {
                document($0.key) + document($0.value, indefinite: indefinite)
            }
            return indefinite ? [0xBF] + parts + [0xFF] : head(5, object.count) + parts
        case let number as NSNumber: return Self.number(number)
        default: return [0xF6]
        }
    }

    private static func number(_ number: NSNumber) -> [UInt8] {
        if isBoolean(number) { return [number.boolValue ? 0xF5 : 0xF4] }
        if let integer = number as? Int { return integer < 0 ? head(1, -1 - integer) : head(0, integer) }
        let bits = number.doubleValue.bitPattern
        return [0xFB] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    }

    private static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }

    private static func head(_ type: UInt8, _ length: Int) -> [UInt8] {
        if length < 24 { return [type << 5 | UInt8(length)] }
        let width = length < 1 << 8 ? 0 : length < 1 << 16 ? 1 : length < 1 << 32 ? 2 : 3
        return [type << 5 | UInt8(24 + width)]
            + (0..<(1 << width)).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    }
}
