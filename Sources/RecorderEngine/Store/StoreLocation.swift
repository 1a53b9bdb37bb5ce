import Foundation
import RecorderAWS

/// Where a store's file lies, from the environment alone: nothing is created here.
///
/// The first of: a directory the program named, `AWS_KINESIS_RECORDER_DIR`, `$STATE_DIRECTORY` (systemd),
/// `$XDG_STATE_HOME`, `~/.local/state`; the last three followed by `<program>/com.amazonaws.AWSKinesisRecorder`.
/// Never the temporary directory, which Linux empties. A relative directory is that of the process when the location is
/// made; symbolic links are followed when the file is opened (``StoreDirectory``).
package struct StoreLocation: Sendable, Hashable {
    package let directory: String
    package let fileName: String

    package var path: String { directory == "/" ? "/\(fileName)" : "\(directory)/\(fileName)" }

    /// A file that is known to lie there.
    package init(directory: String, fileName: String) {
        self.directory = directory
        self.fileName = fileName
    }

    /// Each service ("kinesis", "firehose") has files of its own, and so has each key; nil is the default recorder's.
    /// `directory` is what the program asked for, if it did.
    package init(
        service: String,
        key: String?,
        directory: String?,
        program: String,
        environment: [String: String]
    ) throws(RecorderError) {
        do throws(ConfigurationFailure) {
            if let directory {
                self.directory = try PrivateDirectory.absolute(directory)
            } else {
                self.directory = try StateDirectory.path(
                    folder: StoreDirectory.ownName,
                    program: program,
                    environment: environment
                )
            }
        } catch {
            throw .storage(error.message, nil)
        }
        fileName = key.map { "\(service)-\(StateDirectory.fileSafe($0)).db" } ?? "\(service).db"
    }
}
