import FoundationEssentials

/// The directory for files that outlive the process, from the environment. Nothing is created here.
///
/// The first of: `AWS_KINESIS_RECORDER_DIR`, `$STATE_DIRECTORY` (systemd), `$XDG_STATE_HOME`, `~/.local/state`; the last
/// three followed by `<program>/<folder>`. Never the temporary directory, which the system may empty.
package enum StateDirectory {
    /// The variable that names the directory itself.
    package static let override = "AWS_KINESIS_RECORDER_DIR"

    /// The directory for this folder's files.
    package static func path(
        folder: String,
        program: String = ProcessInfo.processInfo.processName,
        environment: [String: String]
    ) throws(ConfigurationFailure) -> String {
        if let override = environment[Self.override], !override.isEmpty {
            guard override.hasPrefix("/") else {
                throw ConfigurationFailure("\(Self.override) is \"\(override)\"; it must be an absolute path.")
            }
            return try PrivateDirectory.absolute(override)
        }
        return try PrivateDirectory.absolute("\(try root(environment))/\(fileSafe(program))/\(folder)")
    }

    /// A file name for any text. Plain text is used unchanged, other text is hashed. The two cannot collide, because a plain
    /// name contains no dot.
    package static func fileSafe(_ text: String) -> String {
        let isPlain =
            (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || (byte < 128 && Character(UnicodeScalar(byte)).isLetter)
                    || (byte < 128 && Character(UnicodeScalar(byte)).isNumber)
            }
        return isPlain ? text : "sha256.\(Digest.hex(Digest.sha256(Array(text.utf8))))"
    }

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
