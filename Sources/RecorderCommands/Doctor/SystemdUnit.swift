import FoundationEssentials
import Glibc
import RecorderAWS

/// A service of systemd as it would be started: the words of its command, and its environment.
struct SystemdUnit {
    /// As `kinesis-recorder-agent.service`.
    let id: String
    /// The words of this program's command; nil if the unit runs another program.
    private(set) var words: [String]?
    private(set) var environment: [String: String] = [:]
    private(set) var findings: [Finding] = []
    private var credentials: [String: String] = [:]
    /// What `systemctl show` prints, in its order.
    private let properties: [(name: String, value: String)]

    private static let wanted = [
        "Id", "LoadState", "ActiveState", "ExecMainStatus", "Environment", "EnvironmentFiles", "ExecStart", "User",
        "DynamicUser", "StateDirectory", "RuntimeDirectory", "LoadCredential",
    ]

    /// Asks systemd for a unit. Throws if there is none.
    init(_ name: String, environment: [String: String]) async throws(CommandFailure) {
        let text = try await Self.systemctl(
            ["show", "--property=\(Self.wanted.joined(separator: ","))", "--", name],
            environment: environment
        )
        properties = text.split(separator: "\n").compactMap { line in
            line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
        }
        id = properties.first { $0.name == "Id" }?.value ?? name
        guard value("LoadState") == "loaded" else {
            let state = value("LoadState")
            let reason = state == "not-found" || state.isEmpty ? "there is no such unit" : "it is \(state)"
            throw CommandFailure(
                .noInput,
                message: "\(id): \(reason). `systemctl list-units 'kinesis-recorder*'` lists those of the package."
            )
        }
        if !value("LoadCredential").isEmpty {
            // `systemctl show` of 252 does not print them.
            credentials = Self.credentials(in: try await Self.systemctl(["cat", "--", name], environment: environment))
        }
        try readEnvironment()
        readCommand()
        if value("ActiveState") == "failed" {
            findings.append(
                .warning(
                    "unit",
                    text: "\(id) has failed; its last status was \(value("ExecMainStatus"))",
                    advice: "See journalctl -u \(id), and the statuses in `\(Program.name) help`."
                )
            )
        }
    }

    private func value(_ name: String) -> String { properties.first { $0.name == name }?.value ?? "" }
    private func values(_ name: String) -> [String] { properties.filter { $0.name == name }.map(\.value) }

    /// What systemctl prints.
    private static func systemctl(
        _ words: [String],
        environment: [String: String]
    ) async throws(CommandFailure) -> String {
        let child = ChildProcess(
            ["systemctl", "--no-pager"] + words,
            environment: environment,
            outputLimit: 1 << 20,
            timeout: .seconds(30)
        )
        do throws(ChildProcess.Failure) {
            return String(decoding: try await child.output(), as: UTF8.self)
        } catch {
            let command = "systemctl \(words.first ?? "") \(words.last ?? "")"
            throw CommandFailure(
                .noInput,
                message: "\(command): systemctl \(error.reason). Run that where systemd runs the unit."
            )
        }
    }

    /// The files of `LoadCredential=`, by the name of the credential.
    private static func credentials(in unit: String) -> [String: String] {
        var found: [String: String] = [:]
        for line in unit.split(separator: "\n") where line.hasPrefix("LoadCredential=") {
            let parts = line.dropFirst("LoadCredential=".count).split(separator: ":", maxSplits: 1)
            if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
        }
        return found
    }

    // MARK: environment

    private mutating func readEnvironment() throws(CommandFailure) {
        environment = ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"]
        environment["HOME"] = home
        let directories = [
            ("STATE_DIRECTORY", "StateDirectory", "/var/lib"), ("RUNTIME_DIRECTORY", "RuntimeDirectory", "/run"),
        ]
        for (variable, property, root) in directories {
            let names = value(property).split(separator: " ")
            if !names.isEmpty { environment[variable] = names.map { "\(root)/\($0)" }.joined(separator: ":") }
        }
        if !value("LoadCredential").isEmpty { environment["CREDENTIALS_DIRECTORY"] = credentialsDirectory }
        for assignment in try words(of: value("Environment")) {
            guard let equals = assignment.firstIndex(of: "=") else { continue }
            let name = String(assignment[..<equals])
            environment[name] = String(assignment[assignment.index(after: equals)...])
            if Self.secrets.contains(name) {
                findings.append(
                    .warning(
                        "unit",
                        text: "\(name) is in Environment= of \(id), which every user can read",
                        advice: "Move it to a file that root alone can read, and name that in EnvironmentFile=."
                    )
                )
            }
        }
        for file in values("EnvironmentFiles") { read(file) }
    }

    private static let secrets = ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]

    /// A file as systemctl names it: its path, and whether it may be missing.
    private mutating func read(_ file: String) {
        let isOptional = file.hasSuffix(" (ignore_errors=yes)")
        let path = file.firstRange(of: " (ignore_errors=").map { String(file[..<$0.lowerBound]) } ?? file
        guard let bytes = (try? SmallFile.bytes(of: path, limit: 1 << 20)) ?? nil else {
            let isMissing = !Files.exists(path)
            guard !isMissing || !isOptional else { return }
            findings.append(
                .failure(
                    "unit",
                    text: isMissing ? "\(path) does not exist, so \(id) cannot start" : "\(path) cannot be read",
                    advice: isMissing
                        ? "Create it with NAME=VALUE lines, or correct EnvironmentFile=." : "Run as root.",
                    status: isMissing ? .configuration : .noInput
                )
            )
            return
        }
        let text = EnvironmentFile(String(decoding: bytes, as: UTF8.self))
        environment.merge(text.variables) { $1 }
        for problem in text.problems {
            findings.append(
                .failure(
                    "unit",
                    text: "line \(problem.line) of \(path) is no NAME=VALUE, and systemd leaves it out",
                    advice: "Correct that line: \(problem.reason).",
                    status: .configuration
                )
            )
        }
        let hasSecrets = Self.secrets.contains { text.variables[$0] != nil }
        if hasSecrets, let status = FileStatus(path: path), status.mode & 0o004 != 0 {
            findings.append(
                .warning(
                    "unit",
                    text: "\(path) has keys in it, and every user can read it (mode \(status.modeText))",
                    advice: "Run: chmod 600 \(FileRights.quoted(path))."
                )
            )
        }
    }

    /// Whether the unit's programs run as root.
    var isOfRoot: Bool { value("DynamicUser") != "yes" && ["", "root", "0"].contains(value("User")) }

    private var home: String? {
        let user = value("User")
        if value("DynamicUser") == "yes" { return "/" }
        guard !isOfRoot else { return "/root" }
        guard let entry = unsafe getpwnam(user), let home = unsafe entry.pointee.pw_dir else { return nil }
        return unsafe String(cString: home)
    }

    // MARK: command

    private var credentialsDirectory: String { "/run/credentials/\(id)" }

    /// The command of the first ExecStart= that runs this program.
    private mutating func readCommand() {
        for command in values("ExecStart") {
            guard let start = command.firstRange(of: "argv[]=")?.upperBound,
                let end = command[start...].firstRange(of: " ; ignore_errors=")?.lowerBound,
                let all = try? words(of: String(command[start..<end])),
                all.first?.split(separator: "/").last.map(String.init) == Program.name
            else { continue }
            words = all.dropFirst().flatMap(expanded).map(credentialSource)
            return
        }
        findings.append(
            .warning(
                "unit",
                text:
                    "\(id) does not run \(Program.name) itself, so its options are unknown; its environment is checked"
            )
        )
    }

    /// A word after the variables were put in: a word that is `$NAME` may become several, or none.
    private func expanded(_ word: String) -> [String] {
        if word.hasPrefix("$"), !word.hasPrefix("${"), !word.hasPrefix("$$") {
            return (try? words(of: environment[String(word.dropFirst())] ?? "")) ?? []
        }
        var (text, rest) = ("", word[...])
        while let open = rest.firstRange(of: "${"), let close = rest[open.upperBound...].firstIndex(of: "}") {
            text += rest[..<open.lowerBound] + (environment[String(rest[open.upperBound..<close])] ?? "")
            rest = rest[rest.index(after: close)...]
        }
        return [(text + rest).replacing("$$", with: "$")]
    }

    /// The file that systemd copies into the directory of credentials, which exists only while the unit runs.
    private func credentialSource(_ word: String) -> String {
        let credential = credentials.first { word == "\(credentialsDirectory)/\($0.key)" }
        return credential?.value ?? word
    }

    private func words(of text: String) throws(CommandFailure) -> [String] {
        do throws(Malformed) {
            return try ShellWords.split(Substring(text))
        } catch {
            throw CommandFailure(.configuration, message: "\(id): \(error.reason)")
        }
    }
}
