import FoundationEssentials
import RecordFormats

/// The directory for files that outlive the process, from the environment. Nothing is created here.
///
/// The first of: `AWS_KINESIS_RECORDER_DIR`, `$STATE_DIRECTORY` (systemd), `$XDG_STATE_HOME`, `~/.local/state`; the last
/// three followed by `<program>/<folder>`. Never the temporary directory, which the system may empty, unless the process runs
/// tests: their records are no one's.
package enum StateDirectory {
    /// The variable that names the directory itself.
    package static let override = "AWS_KINESIS_RECORDER_DIR"

    /// The directory for this folder's files; if no environment is given, by that of the process.
    package static func path(
        folder: String,
        program: String = ProcessInfo.processInfo.processName,
        environment given: [String: String]? = nil
    ) throws(ConfigurationFailure) -> String {
        let environment = given ?? ProcessInfo.processInfo.environment
        if let override = environment[Self.override], !override.isEmpty {
            guard override.hasPrefix("/") else {
                throw ConfigurationFailure("\(Self.override) is \"\(override)\"; it must be an absolute path.")
            }
            return try PrivateDirectory.absolute(override)
        }
        let root = try root(environment)
        if given == nil, let directory = ofTests {
            RecorderLog.warningOnce(
                "This process runs tests, so files are kept in \(directory). Set \(override) to keep them elsewhere."
            )
            return directory
        }
        return try PrivateDirectory.absolute("\(root)/\(fileSafe(program))/\(folder)")
    }

    /// A directory of this process, if it runs tests: SwiftPM's name for a bundle of them, or how a runner of them is called.
    private static let ofTests: String? = {
        let process = ProcessInfo.processInfo
        let name = process.processName
        guard
            name.hasSuffix(".xctest") || name.hasSuffix("-test-runner")
                || process.arguments.contains("--testing-library")
        else { return nil }
        let parent = process.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        return "\(parent)/recorder-tests.\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }()

    /// A file name for any text. Plain text is used unchanged, other text is hashed. The two cannot collide, because a plain
    /// name contains no dot. What is hashed stays so: `kinesis-recorder list` prints it, and other commands take it.
    package static func fileSafe(_ text: String) -> String {
        let hash = text.hasPrefix(hashed) ? text.dropFirst(hashed.count) : ""
        if hash.utf8.count == 64, hash.utf8.allSatisfy("0123456789abcdef".utf8.contains) { return text }
        let isPlain =
            (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || (byte < 128 && Character(UnicodeScalar(byte)).isLetter)
                    || (byte < 128 && Character(UnicodeScalar(byte)).isNumber)
            }
        return isPlain ? text : "\(hashed)\(Digest.hex(Digest.sha256(Array(text.utf8))))"
    }

    private static let hashed = "sha256."

    private static func root(_ environment: [String: String]) throws(ConfigurationFailure) -> String {
        // systemd may name several directories, colon-separated; the first one is the unit's own.
        if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first, state.hasPrefix("/") {
            return String(state)
        }
        // A relative path is to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/state" }
        throw ConfigurationFailure(
            "There is no home directory to keep records in. Set \(override) to a directory of your own."
        )
    }
}
