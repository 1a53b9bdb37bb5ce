import RecorderAWS

/// The path of a store's file, from the environment alone: nothing is created here.
///
/// The directory is the first of: the one the program named, `AWS_KINESIS_RECORDER_DIR`, `$STATE_DIRECTORY` (systemd),
/// `$XDG_STATE_HOME`, `~/.local/state`; the last three followed by `<program>/com.amazonaws.AWSKinesisRecorder`. Never the
/// temporary directory, because Linux empties it. A relative directory is resolved when the location is made, symbolic links
/// when the file is opened (``StoreDirectory``).
package struct StoreLocation: Sendable, Hashable {
    package let directory: String
    package let fileName: String

    package var path: String { directory == "/" ? "/\(fileName)" : "\(directory)/\(fileName)" }

    /// What the names of databases begin with; a key or a region follows.
    package static let services = ["kinesis", "firehose", "amplify-kinesis", "amplify-firehose"]

    /// Whether a name is that of a store's database or of a file beside it, or what a rescue makes of them.
    package static func isPart(_ name: Substring) -> Bool {
        let isOfService = services.contains { service in
            guard name.hasPrefix(service) else { return false }
            let rest = name.dropFirst(service.count)
            return rest.hasPrefix(".db") || rest.hasPrefix("-")
        }
        guard isOfService else { return false }
        let usual = name.replacing(/\.(rescue|damaged-[0-9]+-[0-9a-f]+)(?=(-wal|-shm)?$)/, with: "")
        return StoreFiles.suffixes.contains { usual.hasSuffix(".db\($0)") }
    }

    /// The location of a file whose directory is known.
    package init(directory: String, fileName: String) {
        self.directory = directory
        self.fileName = fileName
    }

    /// The directory of a program's stores in a state directory.
    package static func directory(of program: String, in state: String) -> String {
        "\(state)/\(program)/\(StoreDirectory.ownName)"
    }

    /// Each service ("kinesis", "firehose") and each key has its own file; the key nil is the default recorder's.
    /// `directory` is the one the program named, if any; if no environment is given, the process's counts.
    package init(
        service: String,
        key: String?,
        directory: String?,
        program: String,
        environment: [String: String]? = nil
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
