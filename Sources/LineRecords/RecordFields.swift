import RecorderAWS

/// Members that are added to the JSON object in each record, by the names that they get there; nil adds none.
package struct RecordFields: Sendable, Equatable {
    /// The path of the record's file.
    package var path: String?
    /// The name of the machine.
    package var host: String?
    /// Where the record begins in its file, in bytes.
    package var offset: String?
    /// Makes an object of a record that is none: its text is this member.
    package var message: String?
    /// What `host` is.
    package var hostName = ""

    package init() {}

    package var names: [String] { [path, host, offset, message].compactMap(\.self) }

    /// Why a record is stored without a field.
    package enum Fault: Sendable, Hashable {
        /// It is no JSON object.
        case noObject
        /// It has a member of this name, which is kept.
        case hasMember(String)
        /// It would be longer than a record may be, or was cut for that.
        case tooLong
    }
}

/// Adds fields to the records of one file. It changes nothing else in an object.
struct FieldWriter {
    private let names: RecordFields
    /// Members as they are written; the offset lacks its number.
    private let path: [UInt8]
    private let host: [UInt8]
    private let offset: [UInt8]
    private let message: [UInt8]

    init(_ names: RecordFields, path: String) {
        self.names = names
        self.path = Self.member(names.path, JSONText.quoted(path))
        host = Self.member(names.host, JSONText.quoted(names.hostName))
        offset = Self.member(names.offset, "")
        message = Self.member(names.message, "")
    }

    private static func member(_ name: String?, _ value: String) -> [UInt8] {
        name.map { Array("\(JSONText.quoted($0)):\(value)".utf8) } ?? []
    }

    /// A record with the fields that it can have, which begins at `offset` in its file.
    func added(to record: ArraySlice<UInt8>, at offset: Int) -> (record: [UInt8], fault: RecordFields.Fault?) {
        guard let brace = record.firstIndex(of: UInt8(ascii: "{")), let object = JSONValue(Array(record))?.object else {
            return names.message == nil ? (Array(record), .noObject) : (wrapped(record, at: offset), nil)
        }
        var members: [UInt8] = []
        var fault: RecordFields.Fault?
        for (name, member) in self.members(at: offset) {
            if object[name] == nil { members += member + [Self.comma] } else { fault = fault ?? .hasMember(name) }
        }
        if object.isEmpty { members = members.dropLast() }
        return (record[...brace] + members + record[(brace + 1)...], fault)
    }

    private func wrapped(_ record: ArraySlice<UInt8>, at offset: Int) -> [UInt8] {
        // A carriage return at the end belongs to the end of the line.
        let text = record.last == UInt8(ascii: "\r") ? record.dropLast() : record
        let members = members(at: offset).flatMap { $0.member + [Self.comma] }
        let quoted = JSONText.quoted(String(decoding: text, as: UTF8.self))
        return [UInt8(ascii: "{")] + members + message + Array(quoted.utf8) + [UInt8(ascii: "}")]
    }

    private func members(at offset: Int) -> [(name: String, member: [UInt8])] {
        let all = [(names.path, path), (names.host, host), (names.offset, self.offset + Array(String(offset).utf8))]
        return all.compactMap { name, member in name.map { ($0, member) } }
    }

    private static let comma = UInt8(ascii: ",")
}
