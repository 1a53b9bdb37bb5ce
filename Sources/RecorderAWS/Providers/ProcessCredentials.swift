import FoundationEssentials

/// Keys from the output of a program that the user configured as `credential_process`.
///
/// The command is split into words and run without a shell: no variables, pipes or patterns. It may take a minute and print
/// 64 KiB. Its standard error is discarded, because it may contain secrets.
package struct ProcessCredentials: CredentialsFetcher {
    private let command: String
    private let origin: String
    private let accountID: String?
    private let context: CredentialsContext
    private let timeout: Duration

    private static let limit = 64 << 10

    /// A fetcher that runs a command in the context's environment.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - origin: The profile of the command, for errors.
    ///   - accountID: The account of the keys, unless the command prints it.
    ///   - context: The environment and the clock.
    ///   - timeout: How long the command may take.
    package init(
        command: String,
        origin: String,
        accountID: String? = nil,
        in context: CredentialsContext,
        timeout: Duration = .seconds(60)
    ) {
        self.command = command
        self.accountID = accountID
        self.origin = "credential_process of the \(origin)"
        self.context = context
        self.timeout = timeout
    }

    package func fetch() async throws(CredentialsFailure) -> Credentials {
        guard context.runsPrograms else {
            throw CredentialsFailure(
                "\(origin) is not run as root, for it is another user's. Check it as that user: sudo -u USER ..."
            )
        }
        return try credentials(in: try await output(), now: context.now())
    }

    private func output() async throws(CredentialsFailure) -> [UInt8] {
        let words: [String]
        do throws(Malformed) {
            words = try ShellWords.split(Substring(command))
        } catch {
            throw CredentialsFailure("\(origin): \(error.reason)")
        }
        let child = ChildProcess(
            words,
            environment: context.environment,
            outputLimit: Self.limit,
            timeout: timeout
        )
        do throws(ChildProcess.Failure) {
            return try await child.output()
        } catch {
            let program = (words.first ?? "").sanitized(limit: 256)
            let advice = ["Run the command by hand to see why.", Self.advice(about: words)].compactMap(\.self)
            throw CredentialsFailure("\(origin): \(program) \(error.reason). \(advice.joined(separator: " "))")
        }
    }

    /// The forms of AWS's own programs, which are the usual ones here.
    private static func advice(about words: [String]) -> String? {
        switch words.first?.split(separator: "/").last {
        case "aws":
            "For a profile that signs in by browser, the command is aws configure export-credentials --profile NAME "
                + "--format process, after aws sso login --profile NAME."
        case "aws_signing_helper":
            "For IAM Roles Anywhere, the command is aws_signing_helper credential-process --certificate FILE --private-key "
                + "FILE --trust-anchor-arn ARN --profile-arn ARN --role-arn ARN."
        default: nil
        }
    }

    private func credentials(in output: [UInt8], now: Date) throws(CredentialsFailure) -> Credentials {
        guard let document = CredentialsDocument.read(output) else {
            throw CredentialsFailure(
                "\(origin): it printed \(output.count) bytes that are not a JSON document with keys."
            )
        }
        guard document.Version == 1 else {
            throw CredentialsFailure("\(origin): it printed JSON without \"Version\": 1.")
        }
        var credentials = try document.credentials(from: origin)
        credentials.accountID = credentials.accountID ?? accountID
        if let end = credentials.expiration, end <= now {
            let age = Int(now.timeIntervalSince(end))
            throw CredentialsFailure("\(origin): it printed keys that expired \(age) s ago.")
        }
        return credentials
    }
}
