package import FoundationEssentials

/// A value that AWS JSON 1.1 can encode.
package protocol WireValue: SendableMetatype {
    /// Appends the value's JSON.
    func write(to writer: WireWriter)

    /// The value of parsed JSON.
    static func read(_ json: JSONValue) throws(WireMismatch) -> Self
}

/// A structure of the service model: named members, all optional.
///
/// One method lists all members and serves both directions, so that each member takes one line.
package protocol WireShape: WireValue {
    /// A shape without values.
    static func blank() -> Self

    /// Passes every member, with its JSON name, to `fields`, which encodes or decodes it.
    mutating func code(_ fields: WireFields)
}

/// A part of a response that does not match the service model: its path and the expected type, without its value.
package struct WireMismatch: Error, Sendable, Equatable {
    /// The path to it, such as `Records[3].Data`; empty for the whole response.
    package private(set) var path = ""

    /// The expected type, such as `a string`.
    package let expected: String

    /// A mismatch of the value that is being read.
    package init(expected: String) {
        self.expected = expected
    }

    /// The same mismatch with the path extended by the enclosing member.
    func inside(_ member: String) -> WireMismatch {
        var outer = self
        outer.path = path.isEmpty || path.hasPrefix("[") ? member + path : "\(member).\(path)"
        return outer
    }
}

extension WireShape {
    /// The shape as JSON.
    package var json: [UInt8] {
        let writer = WireWriter()
        write(to: writer)
        return writer.bytes
    }

    /// The name of the type, and the members as JSON, without secrets, and without the bytes of data.
    package var described: String {
        let writer = WireWriter(isDescription: true)
        write(to: writer)
        return "\(Self.self) \(String(decoding: writer.bytes, as: UTF8.self))"
    }

    /// Whether both are the same on the wire. Compiled once, unlike a comparison of the members of each structure.
    package func isSame(as other: Self) -> Bool {
        json == other.json
    }

    package func write(to writer: WireWriter) {
        writer.open("{")
        var copy = self
        copy.code(.writing(writer))
        writer.close("}")
    }

    package static func read(_ json: JSONValue) throws(WireMismatch) -> Self {
        guard let object = json.object else { throw WireMismatch(expected: "an object") }
        let reader = WireReader(object)
        var shape = blank()
        shape.code(.reading(reader))
        if let mismatch = reader.mismatch { throw mismatch }
        return shape
    }
}

extension String: WireValue {
    package func write(to writer: WireWriter) { writer.append(text: self) }

    package static func read(_ json: JSONValue) throws(WireMismatch) -> String {
        guard let text = json.string else { throw WireMismatch(expected: "a string") }
        return text
    }
}

extension Bool: WireValue {
    package func write(to writer: WireWriter) { writer.append(literal: self ? "true" : "false") }

    package static func read(_ json: JSONValue) throws(WireMismatch) -> Bool {
        guard case .bool(let value) = json else { throw WireMismatch(expected: "true or false") }
        return value
    }
}

extension Int: WireValue {
    package func write(to writer: WireWriter) { writer.append(literal: String(self)) }

    package static func read(_ json: JSONValue) throws(WireMismatch) -> Int {
        if case .integer(let number) = json { return number }
        // Such as 1e3.
        guard let number = json.double.flatMap(Int.init(exactly:)) else {
            throw WireMismatch(expected: "a whole number")
        }
        return number
    }
}

extension Double: WireValue {
    package func write(to writer: WireWriter) {
        // JSON has only finite numbers. Whole numbers are written without a fraction.
        writer.append(literal: Int(exactly: self).map(String.init) ?? (isFinite ? String(self) : "null"))
    }

    package static func read(_ json: JSONValue) throws(WireMismatch) -> Double {
        guard let number = json.double else { throw WireMismatch(expected: "a number") }
        return number
    }
}

/// Seconds since 1970, with a fraction if needed.
extension Date: WireValue {
    package func write(to writer: WireWriter) { timeIntervalSince1970.write(to: writer) }

    package static func read(_ json: JSONValue) throws(WireMismatch) -> Date {
        guard let seconds = json.double else { throw WireMismatch(expected: "seconds since 1970") }
        return Date(timeIntervalSince1970: seconds)
    }
}

extension Data: WireValue {
    package func write(to writer: WireWriter) { writer.append(base64: self) }

    package static func read(_ json: JSONValue) throws(WireMismatch) -> Data {
        guard let text = json.string, let data = Data(base64Encoded: text) else {
            throw WireMismatch(expected: "base64 text")
        }
        return data
    }
}

extension Array: WireValue where Element: WireValue {
    package func write(to writer: WireWriter) {
        writer.open("[")
        for element in self {
            writer.separate()
            element.write(to: writer)
        }
        writer.close("]")
    }

    package static func read(_ json: JSONValue) throws(WireMismatch) -> [Element] {
        guard let elements = json.list else { throw WireMismatch(expected: "a list") }
        var values: [Element] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            do {
                values.append(try Element.read(element))
            } catch {
                throw error.inside("[\(values.count)]")
            }
        }
        return values
    }
}

extension Dictionary: WireValue where Key == String, Value: WireValue {
    package func write(to writer: WireWriter) {
        writer.open("{")
        // Sorted, so that equal inputs give equal requests.
        for (key, value) in self.sorted(by: { $0.key < $1.key }) {
            writer.key(key)
            value.write(to: writer)
        }
        writer.close("}")
    }

    package static func read(_ json: JSONValue) throws(WireMismatch) -> [String: Value] {
        guard let object = json.object else { throw WireMismatch(expected: "an object") }
        var values: [String: Value] = [:]
        for (key, value) in object {
            do {
                values[key] = try Value.read(value)
            } catch {
                throw error.inside("<key>")
            }
        }
        return values
    }
}

/// An enumeration of the service model, encoded as its raw value.
extension WireValue where Self: RawRepresentable, RawValue == String {
    package func write(to writer: WireWriter) { rawValue.write(to: writer) }

    package static func read(_ json: JSONValue) throws(WireMismatch) -> Self {
        guard let value = Self(rawValue: try String.read(json)) else { throw WireMismatch(expected: "a known value") }
        return value
    }
}
