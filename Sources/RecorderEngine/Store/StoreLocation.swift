import Foundation
import RecorderAWS

/// Where a store's file lies, from the environment alone: nothing is created here.
///
/// The first of: a directory the program named, `AWS_KINESIS_RECORDER_DIR`, `$STATE_DIRECTORY` (systemd),
/// `$XDG_STATE_HOME`, `~/.local/state`; the last three followed by `<program>/com.amazonaws.AWSKinesisRecorder`.
/// Never the temporary directory, which Linux empties.
package struct StoreLocation: Sendable, Hashable {
    package let directory: String
    package let fileName: String

    package var path: String { "\(directory)/\(fileName)" }

    /// Each service ("kinesis", "firehose") has files of its own, and so has each key; nil is the default recorder's.
    /// `directory` is what the program asked for, if it did.
    package init(
        service: String,
        key: String?,
        directory: String?,
        program: String,
        environment: [String: String]
    ) throws(RecorderError) {
        if let directory {
            self.directory = directory
        } else {
            self.directory = try Self.directory(program: program, environment: environment)
        }
        fileName = key.map { "\(service)-\(Self.fileSafe($0)).db" } ?? "\(service).db"
    }

    private static func directory(program: String, environment: [String: String]) throws(RecorderError) -> String {
        if let override = environment["AWS_KINESIS_RECORDER_DIR"], !override.isEmpty {
            guard override.hasPrefix("/") else {
                throw .storage("AWS_KINESIS_RECORDER_DIR is \"\(override)\"; it must be an absolute path.", nil)
            }
            return override
        }
        return "\(try stateDirectory(environment))/\(fileSafe(program))/com.amazonaws.AWSKinesisRecorder"
    }

    private static func stateDirectory(_ environment: [String: String]) throws(RecorderError) -> String {
        // systemd may name several directories, colon-separated; the first one is the unit's own.
        if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first, state.hasPrefix("/") {
            return String(state)
        }
        // A relative path is to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/state" }
        throw .storage(
            "There is no home directory to keep records in. Set AWS_KINESIS_RECORDER_DIR to a directory of your own.",
            nil
        )
    }

    /// Plain keys name their file; any other is hashed. The two can't meet: a plain name holds no dot.
    private static func fileSafe(_ key: String) -> String {
        let isPlain =
            (1...64).contains(key.utf8.count)
            && key.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || (byte < 128 && Character(UnicodeScalar(byte)).isLetter)
                    || (byte < 128 && Character(UnicodeScalar(byte)).isNumber)
            }
        return isPlain ? key : "sha256.\(Digest.hex(Digest.sha256(Array(key.utf8))))"
    }
}
