import Glibc
import LineRecords
import RecorderAWS

extension RecordFields {
    static let options: [OptionSpec] = [.addPath, .addHost, .addOffset, .messageField]

    /// What the options of a command say; nil if no field is added.
    init?(_ invocation: Invocation) throws(CommandFailure) {
        self.init()
        path = invocation.value(.addPath)
        host = invocation.value(.addHost)
        offset = invocation.value(.addOffset)
        message = invocation.value(.messageField)
        guard !names.isEmpty else { return nil }
        if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw CommandFailure(.usage, message: "two fields are named \(name): give each a name of its own.")
        }
        hostName = Self.machineName
    }

    private static var machineName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension OptionSpec {
    static let addPath = OptionSpec(
        "add-path",
        value: "FIELD",
        help: "add the path of the file to each record, as this member of its JSON object"
    )
    static let addHost = OptionSpec("add-host", value: "FIELD", help: "add the name of the machine, likewise")
    static let addOffset = OptionSpec(
        "add-offset",
        value: "FIELD",
        help: "add the byte of the file at which the record begins, likewise"
    )
    static let messageField = OptionSpec(
        "message-field",
        value: "FIELD",
        help: "make a JSON object of a record that is none, with its text as this member"
    )
}
