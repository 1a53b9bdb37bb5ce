import FoundationEssentials

/// A file in which the AWS CLI keeps a person's sign-in: an object in JSON, under a name made of a hash.
///
/// It is read for each renewal of keys, and replaced when the sign-in was renewed, so that the CLI and other programs go on with
/// what is new. Its members are secrets.
struct SignInFile: Sendable {
    private let file: PrivateFile

    /// A file in `directory` of the user's home directory, unless the variable names another directory.
    init(
        _ hash: [UInt8],
        in directory: String,
        variable: String? = nil,
        context: CredentialsContext
    ) throws(CredentialsFailure) {
        let name = "\(Digest.hex(hash)).json"
        let home = context.variable("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        if let named = variable.flatMap(context.variable) {
            let isInHome = named.hasPrefix("~/") && home != nil
            file = PrivateFile("\(isInHome ? "\(home ?? "")\(named.dropFirst())" : named)/\(name)")
        } else if let home {
            file = PrivateFile("\(home)/\(directory)/\(name)")
        } else {
            throw CredentialsFailure("HOME is not set, so the AWS CLI's sign-ins are not found in ~/\(directory).")
        }
    }

    /// The members; nil if there is no file.
    func members() throws(CredentialsFailure) -> [String: JSONValue]? {
        guard let bytes = try CredentialsFailure.translating(try SmallFile.bytes(of: file.path, limit: 64 << 10)) else {
            return nil
        }
        guard let members = JSONValue(bytes)?.object else {
            throw CredentialsFailure("\(file.path) should contain an object in JSON, but does not.")
        }
        return members
    }

    /// Replaces the members. If that fails, the new sign-in is lost for others, and a warning says so.
    func replace(with members: [String: JSONValue]) {
        do throws(ConfigurationFailure) {
            try file.replace(with: Array(JSONValue.object(members).text.utf8))
        } catch {
            RecorderLog.warning("The AWS CLI's sign-in was renewed, but not kept: \(error.message)")
        }
    }
}

extension JSONValue {
    /// The value as JSON text, with an object's members in the order of their names.
    fileprivate var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): JSONText.quoted(value)
        case .list(let values): "[\(values.map(\.text).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.sorted { $0.key < $1.key }.map { "\(JSONText.quoted($0.key)): \($0.value.text)" }.joined(separator: ", "))}"
        }
    }
}
