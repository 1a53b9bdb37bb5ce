import Foundation

/// The members of one structure, on their way out or in.
package enum WireFields {
    /// Members that have a value are appended.
    case writing(WireWriter)
    /// Members that the answer has are set; the others keep what they hold.
    case reading(WireReader)

    /// Writes or reads one member.
    package func callAsFunction<Value: WireValue>(_ value: inout Value?, as name: String) {
        switch self {
        case .writing(let writer):
            guard let value else { return }
            writer.key(name)
            value.write(to: writer)
        case .reading(let reader):
            if let found: Value = reader.value(name, read: Value.read) { value = found }
        }
    }
}

/// JSON under construction. For one thread.
package final class WireWriter {
    /// What is written so far.
    package private(set) var bytes: [UInt8] = []

    /// Nothing yet.
    package init() {}

    /// Starts an object or a list.
    func open(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
    }

    /// Ends an object or a list.
    func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
    }

    /// A comma, unless an object or a list has just been opened: no value ends with such a bracket.
    func separate() {
        guard let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") else { return }
        bytes.append(UInt8(ascii: ","))
    }

    /// A member's name and the colon.
    package func key(_ name: String) {
        separate()
        append(text: name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// A number, or one of JSON's three words.
    package func append(literal: String) {
        bytes.append(contentsOf: literal.utf8)
    }

    /// Text in quotes.
    func append(text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { JSONText.append(UnsafeRawBufferPointer($0), to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Bytes as base64 text in quotes.
    func append(base64 data: Data) {
        bytes.append(UInt8(ascii: "\""))
        data.withUnsafeBytes { Base64.append($0, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// The members of one structure of an answer, and the first thing in it that does not fit. For one thread.
package final class WireReader {
    private let object: [String: Any]

    /// The first mismatch; what comes after it is not read.
    package private(set) var mismatch: WireMismatch?

    init(_ object: [String: Any]) {
        self.object = object
    }

    /// The member of this name; nil if it is absent or null, or does not fit.
    package func value<Value>(_ name: String, read: (Any) throws(WireMismatch) -> Value) -> Value? {
        guard mismatch == nil, let found = object[name], !(found is NSNull) else { return nil }
        do {
            return try read(found)
        } catch {
            mismatch = error.inside(name)
            return nil
        }
    }
}
