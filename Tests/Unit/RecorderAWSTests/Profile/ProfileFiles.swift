import Foundation
import RecorderTestSupport

/// Shared configuration files in a temporary directory.
struct ProfileFiles: Sendable {
    let directory: TemporaryDirectory

    var config: String { directory.path("config") }

    var credentials: String { directory.path("credentials") }

    /// Files with these texts; no file for nil.
    init(config: String? = nil, credentials: String? = nil) throws {
        directory = try TemporaryDirectory()
        try config.map { try write($0, to: self.config) }
        try credentials.map { try write($0, to: self.credentials) }
    }

    /// The variables that name the files, and additional ones.
    func environment(_ more: [String: String] = [:]) -> [String: String] {
        ["AWS_CONFIG_FILE": config, "AWS_SHARED_CREDENTIALS_FILE": credentials].merging(more) { $1 }
    }

    /// Replaces a file's text.
    func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}
