import Foundation

/// A directory of the test's own under the system's temporary directory, mode 0700, removed with
/// everything in it when the last reference goes.
package final class TemporaryDirectory: Sendable {
    /// The directory's absolute path, without a trailing slash.
    package let path: String

    package init() throws {
        let name = "recorder-test-\(UUID().uuidString)"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        // A test may have moved or removed the directory itself; nothing is left to do then.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` inside the directory.
    package func path(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
