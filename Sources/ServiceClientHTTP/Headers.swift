/// One header with all its values.
public struct Header: Sendable, Hashable {
    /// The name as it is sent. Comparison is case-insensitive.
    public var name: String

    /// The values, one for each line of the message.
    public var value: [String]

    /// A header with several values.
    public init(name: String, values: [String]) {
        self.name = name
        value = values
    }

    /// A header with one value.
    public init(name: String, value: String) {
        self.init(name: name, values: [value])
    }
}

/// The headers of a request or a response, in order. Names are case-insensitive.
public struct Headers: Sendable, Hashable {
    /// The headers, in order.
    public var headers: [Header] = []

    /// No headers.
    public init() {}

    /// A header for each name.
    public init(_ dictionary: [String: String]) {
        for (name, value) in dictionary { add(name: name, value: value) }
    }

    /// A header for each name, with several values.
    public init(_ dictionary: [String: [String]]) {
        for (name, values) in dictionary { add(name: name, values: values) }
    }

    /// Whether there are none.
    public var isEmpty: Bool { headers.isEmpty }

    /// The values by name, with the names unchanged.
    public var dictionary: [String: [String]] {
        Dictionary(headers.map { ($0.name, $0.value) }, uniquingKeysWith: +)
    }

    /// Adds a value to the header with this name.
    public mutating func add(name: String, value: String) { add(Header(name: name, value: value)) }

    /// Adds values to the header with this name.
    public mutating func add(name: String, values: [String]) { add(Header(name: name, values: values)) }

    /// Adds values to the header with the same name, or adds the header if there is none.
    public mutating func add(_ header: Header) {
        if let index = index(of: header.name) {
            headers[index].value += header.value
        } else {
            headers.append(header)
        }
    }

    /// Adds all headers of another collection.
    public mutating func addAll(headers other: Headers) {
        for header in other.headers { add(header) }
    }

    /// Replaces the values of the header with this name.
    public mutating func update(name: String, value: String) { update(Header(name: name, value: value)) }

    /// Replaces the values of the header with this name.
    public mutating func update(name: String, value: [String]) { update(Header(name: name, values: value)) }

    /// Replaces the header with the same name, or adds it if there is none.
    public mutating func update(_ header: Header) {
        if let index = index(of: header.name) {
            headers[index] = header
        } else {
            headers.append(header)
        }
    }

    /// Removes the header with this name.
    public mutating func remove(name: String) {
        let name = name.lowercased()
        headers.removeAll { $0.name.lowercased() == name }
    }

    /// Whether there is a header with this name.
    public func exists(name: String) -> Bool { index(of: name) != nil }

    /// The values of the header with this name; nil if there is none.
    public func values(for name: String) -> [String]? { index(of: name).map { headers[$0].value } }

    /// The values of the header with this name, separated by commas; nil if there is none.
    public func value(for name: String) -> String? { values(for: name)?.joined(separator: ",") }

    private func index(of name: String) -> Int? {
        let name = name.lowercased()
        return headers.firstIndex { $0.name.lowercased() == name }
    }
}
