import FoundationEssentials

/// Encodes or decodes the members of one structure.
package enum WireFields {
    /// Appends the members that have a value.
    case writing(WireWriter)
    /// Sets the members that the response contains; the others are unchanged.
    case reading(WireReader)

    /// Encodes or decodes one member. A sensitive one is not shown in a description.
    package func callAsFunction<Value: WireValue>(_ value: inout Value?, as name: String, sensitive: Bool = false) {
        switch self {
        case .writing(let writer):
            guard let value else { return }
            writer.key(name)
            if sensitive, writer.isDescription { return writer.append(text: "(not shown)") }
            value.write(to: writer)
        case .reading(let reader):
            if let found: Value = reader.value(name, read: Value.read) { value = found }
        }
    }
}

/// Builds JSON. Not thread-safe.
package final class WireWriter {
    /// The JSON so far.
    package private(set) var bytes: [UInt8] = []

    /// Whether the output is for people: without secrets, and with the length of data instead of its bytes.
    let isDescription: Bool

    /// A writer without output.
    package init(isDescription: Bool = false) {
        self.isDescription = isDescription
    }

    /// Starts an object or a list.
    func open(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
    }

    /// Ends an object or a list.
    func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
    }

    /// Appends a comma, unless an object or a list has just been opened. No value ends with an opening bracket.
    func separate() {
        guard let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") else { return }
        bytes.append(UInt8(ascii: ","))
    }

    /// Appends a member's name and a colon.
    package func key(_ name: String) {
        separate()
        append(text: name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Appends a number, `true`, `false` or `null`.
    package func append(literal: String) {
        bytes.append(contentsOf: literal.utf8)
    }

    /// Appends text in quotes.
    func append(text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { JSONText.append(UnsafeRawBufferPointer($0), to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends bytes as base64 text in quotes.
    func append(base64 data: Data) {
        guard !isDescription else { return append(text: "\(data.count) bytes") }
        bytes.append(UInt8(ascii: "\""))
        data.withUnsafeBytes { Base64.append($0, to: &bytes) }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// Reads the members of one structure of a response, up to the first mismatch. Not thread-safe.
package final class WireReader {
    private let object: [String: JSONValue]

    /// The first mismatch; members after it are not read.
    package private(set) var mismatch: WireMismatch?

    init(_ object: [String: JSONValue]) {
        self.object = object
    }

    /// The member with this name; nil if it is missing, null or a mismatch.
    package func value<Value>(_ name: String, read: (JSONValue) throws(WireMismatch) -> Value) -> Value? {
        guard mismatch == nil, let found = object[name], found != .null else { return nil }
        do {
            return try read(found)
        } catch {
            mismatch = error.inside(name)
            return nil
        }
    }
}
