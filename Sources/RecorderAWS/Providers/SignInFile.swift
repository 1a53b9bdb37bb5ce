import FoundationEssentials
import RecordFormats
import RecorderConcurrency
import RecorderHTTP

/// A file in which the AWS CLI keeps a person's sign-in: an object in JSON, under a name made of a hash.
///
/// It is read for each renewal of keys, and replaced when the sign-in was renewed, so that the CLI and other programs go on with
/// what is new. Its members are secrets.
struct SignInFile: Sendable {
    private let file: PrivateFile

    /// Sign-ins that were renewed but not kept, by their path, each with what the file held then.
    ///
    /// The refresh token of a file is worth nothing once it was used. So this process goes on with the new one, until another
    /// program changes the file.
    private static let notKept = Locked<[String: (members: [String: JSONValue], instead: [UInt8]?)]>([:])

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
        let bytes = try bytes()
        let newer = Self.notKept.withLock { notKept in
            if notKept[file.path]?.instead != bytes { notKept[file.path] = nil }
            return notKept[file.path]?.members
        }
        guard let bytes, newer == nil else { return newer }
        guard let members = JSONValue(bytes)?.object else {
            throw CredentialsFailure("\(file.path) should contain an object in JSON, but does not.")
        }
        return members
    }

    private func bytes() throws(CredentialsFailure) -> [UInt8]? {
        try CredentialsFailure.translating(try SmallFile.bytes(of: file.path, limit: 64 << 10))
    }

    /// Replaces the members. If that fails, only this process has the new sign-in, and a warning says so.
    func replace(with members: [String: JSONValue]) {
        do throws(ConfigurationFailure) {
            try file.replace(with: Array(JSONValue.object(members).text.utf8))
        } catch {
            RecorderLog.warning("The AWS CLI's sign-in was renewed, but not kept for other programs: \(error.message)")
            let old = try? bytes()
            Self.notKept.withLock { $0[file.path] = (members, old) }
        }
    }
}

/// A request that renews a sign-in.
struct SignInRenewal: Sendable {
    /// Renews a sign-in and keeps it, also if the caller is cancelled: what the file has is worth nothing once it was used.
    static func completing<Renewed: Sendable>(
        _ renew: @autoclosure @escaping @Sendable () async throws(CredentialsFailure) -> Renewed
    ) async throws(CredentialsFailure) -> Renewed {
        let renewal = Task(executorPreference: Task.currentExecutor) { () -> Result<Renewed, CredentialsFailure> in
            do throws(CredentialsFailure) {
                return .success(try await renew())
            } catch {
                return .failure(error)
            }
        }
        return try await renewal.value.get()
    }

    let url: String
    var headers: [HTTPHeader] = []
    let form: [String: String]
    /// What the errors begin with.
    let origin: String

    /// What `read` finds in the answer, an object in JSON; `content` says in an error what that is.
    func answer<Found>(
        by transport: any HTTPTransport,
        with content: String,
        _ read: ([String: JSONValue]) -> Found?
    ) async throws(CredentialsFailure) -> Found {
        let body = form.sorted { $0.key < $1.key }.map { "\(JSONText.quoted($0.key)):\(JSONText.quoted($0.value))" }
        let request = HTTPRequest(
            url: url,
            headers: [HTTPHeader("Content-Type", "application/json")] + headers
                + [HTTPHeader("User-Agent", UserAgent.standard)],
            body: Array("{\(body.joined(separator: ","))}".utf8),
            timeouts: HTTPTimeouts(stall: .seconds(15), total: .seconds(30)),
            maximumResponseBytes: 64 << 10
        )
        let call = MetadataRequest(request, origin: origin, redacting: Array(form.values))
        let response = try await call.send(by: transport)
        guard let found = JSONValue(response.body)?.object.flatMap(read) else {
            throw CredentialsFailure(
                "the response is \(response.body.count) bytes that are not a JSON document with \(content)"
            )
        }
        return found
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
