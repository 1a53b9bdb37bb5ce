import RecorderAWS
import RecorderStore

/// One object of the Kinesis Agent's configuration, whose keys are read one after the other.
///
/// As in the agent, a number or a flag may be a string, null is the same as a missing key, and an empty string is one too.
struct AgentSettings {
    /// Where the object is, as in `flows[0]`; empty for the whole.
    let path: String
    var warnings: [String] = []
    /// The members that have not been read.
    private var rest: [String: JSONValue]
    private var known: [String] = []

    private init(_ members: [String: JSONValue], path: String) {
        rest = members
        self.path = path
    }

    /// The whole configuration.
    init(_ text: [UInt8]) throws(ConfigurationFailure) {
        let json = JSONComments.blanked(text)
        guard let value = JSONValue(json) else {
            let line = JSONValue.firstErrorOffset(in: json).map { offset in json[..<offset].count { $0 == 0x0A } + 1 }
            throw ConfigurationFailure("This is not JSON\(line.map { ", from line \($0) on" } ?? "").")
        }
        guard let members = value.object else {
            throw ConfigurationFailure("This is \(value.kind); an object is expected.")
        }
        self.init(members, path: "")
    }

    // MARK: - values; nil where there is none

    mutating func text(_ key: String, mayBeEmpty: Bool = false) throws(ConfigurationFailure) -> String? {
        switch take(key) {
        case nil: return nil
        case .string(let text)?: return text.isEmpty && !mayBeEmpty ? nil : text
        case .integer(let number)?: return String(number)
        case let value?: throw wrong(key, value, expected: "a string")
        }
    }

    mutating func number(_ key: String, in range: ClosedRange<Int>) throws(ConfigurationFailure) -> Int? {
        let limits = range.upperBound == Int(Int32.max) ? "of at least" : "from"
        let expected =
            "a whole number \(limits) \(Formatting.count(range.lowerBound))"
            + (range.upperBound == Int(Int32.max) ? "" : " to \(Formatting.count(range.upperBound))")
        guard let value = take(key) else { return nil }
        let number: Int? =
            switch value {
            case .integer(let number): number
            case .string(let text): Int(text)
            default: nil
            }
        guard let number else { throw wrong(key, value, expected: expected) }
        guard range.contains(number) else {
            throw ConfigurationFailure("\(name(key)) is \(number): \(expected) is expected.")
        }
        return number
    }

    mutating func flag(_ key: String) throws(ConfigurationFailure) -> Bool? {
        guard let value = take(key) else { return nil }
        let word: String? =
            switch value {
            case .bool(let flag): flag ? "true" : "false"
            case .string(let text): text.lowercased()
            case .integer(let number): String(number)
            default: nil
            }
        switch word {
        case "true", "yes", "t", "y", "1": return true
        case "false", "no", "f", "n", "0": return false
        default: throw wrong(key, value, expected: "true or false")
        }
    }

    /// One of the words in capitals; small letters are the same.
    mutating func choice(_ key: String, of choices: [String]) throws(ConfigurationFailure) -> String? {
        guard let value = take(key) else { return nil }
        let expected = choices.joined(separator: " or ")
        guard let text = value.string else { throw wrong(key, value, expected: expected) }
        guard choices.contains(text.uppercased()) else {
            throw ConfigurationFailure("\(name(key)) is \"\(text.sanitized(limit: 64))\": \(expected) is expected.")
        }
        return text.uppercased()
    }

    mutating func objects(_ key: String) throws(ConfigurationFailure) -> [AgentSettings]? {
        guard let value = take(key) else { return nil }
        guard let list = value.list else { throw wrong(key, value, expected: "a list of objects") }
        var objects: [AgentSettings] = []
        for (index, element) in list.enumerated() {
            let path = "\(name(key))[\(index)]"
            guard let members = element.object else {
                throw ConfigurationFailure("\(path) is \(element.kind): an object is expected.")
            }
            objects.append(AgentSettings(members, path: path))
        }
        return objects
    }

    /// The address of a service, which may lack its scheme.
    mutating func endpoint(_ key: String) throws(ConfigurationFailure) -> Endpoint? {
        guard let text = try text(key) else { return nil }
        do throws(ConfigurationFailure) {
            return try Endpoint(url: text.contains("://") ? text : "https://\(text)")
        } catch {
            throw ConfigurationFailure("\(name(key)): \(error.message)")
        }
    }

    mutating func region(_ key: String) throws(ConfigurationFailure) -> Region? {
        guard let text = try text(key) else { return nil }
        do throws(ConfigurationFailure) {
            return try Region(text)
        } catch {
            throw ConfigurationFailure("\(name(key)): \(error.message)")
        }
    }

    // MARK: - what is not followed

    mutating func warn(_ text: String) {
        warnings.append(text)
    }

    /// Takes settings that have no effect here, with one warning for those that are given.
    mutating func ignore(_ keys: [String]) {
        let given = keys.filter { take($0) != nil }.map(name)
        guard !given.isEmpty else { return }
        warn("\(given.joined(separator: ", ")) \(given.count == 1 ? "has" : "have") no effect.")
    }

    /// Takes all keys of a kind that are left. Returns whether there was one.
    mutating func removeKeys(withPrefix prefix: String) -> Bool {
        let found = rest.keys.contains { $0.hasPrefix(prefix) }
        rest = rest.filter { !$0.key.hasPrefix(prefix) }
        return found
    }

    /// Warns once about each key that was not asked for.
    mutating func warnAboutRest() {
        for key in rest.keys.sorted() {
            let hint = Suggestions.hint(for: key, in: known)
            warn("\(name(key.sanitized(limit: 64))) is not known, and has no effect.\(hint)")
        }
        rest = [:]
    }

    // MARK: - keys

    private mutating func take(_ key: String) -> JSONValue? {
        known.append(key)
        let value = rest.removeValue(forKey: key)
        return value == .null ? nil : value
    }

    private func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// Without the value, which may be a key.
    private func wrong(_ key: String, _ value: JSONValue, expected: String) -> ConfigurationFailure {
        ConfigurationFailure("\(name(key)) is \(value.kind): \(expected) is expected.")
    }
}

extension JSONValue {
    /// The kind of value, for error messages.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .double: "a number"
        case .string: "a string"
        case .list: "a list"
        case .object: "an object"
        }
    }
}
