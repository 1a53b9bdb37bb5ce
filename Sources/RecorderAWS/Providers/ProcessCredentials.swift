import Foundation

/// Keys that a program of the user's prints, as `credential_process` has it, and prints anew before they end.
///
/// The command is split into words as a shell would, and run without one: no variables, pipes or patterns. It may take a
/// minute and print 64 KiB; what it writes to standard error is dropped, since nobody knows what is in it.
package struct ProcessCredentials: CachedCredentialsSource {
    let cache: CredentialsCache

    private static let limit = 64 << 10

    /// A source that runs this command, in the context's environment; `origin` says, in errors, where it is written.
    package init(command: String, origin: String, in context: CredentialsContext, timeout: Duration = .seconds(60)) {
        let origin = "credential_process of the \(origin)"
        cache = CredentialsCache(now: context.now) { () throws(CredentialsFailure) in
            let output = try await Self.output(of: command, origin, context.environment, timeout)
            return try Self.credentials(in: output, origin, now: context.now())
        }
    }

    private static func output(
        of command: String,
        _ origin: String,
        _ environment: [String: String],
        _ timeout: Duration
    ) async throws(CredentialsFailure) -> [UInt8] {
        let words: [String]
        do throws(Malformed) {
            words = try ShellWords.split(Substring(command))
        } catch {
            throw CredentialsFailure("\(origin): \(error.reason)")
        }
        let child = ChildProcess(words, environment: environment, outputLimit: limit, timeout: timeout)
        do throws(ChildProcess.Failure) {
            return try await child.output()
        } catch {
            let program = Legible.text(words.first ?? "", limit: 256)
            throw CredentialsFailure("\(origin): \(program) \(error.reason). Run the command by hand to see why.")
        }
    }

    private static func credentials(
        in output: [UInt8],
        _ origin: String,
        now: Date
    ) throws(CredentialsFailure) -> Credentials {
        guard let document = CredentialsDocument.read(output) else {
            throw CredentialsFailure("\(origin): it printed \(output.count) bytes that are not the JSON of keys.")
        }
        guard document.Version == 1 else {
            throw CredentialsFailure("\(origin): it printed JSON without \"Version\": 1.")
        }
        let credentials = try document.credentials(from: origin)
        if let end = credentials.expiration, end <= now {
            throw CredentialsFailure("\(origin): it printed keys that ended \(Int(now.timeIntervalSince(end))) s ago.")
        }
        return credentials
    }
}
