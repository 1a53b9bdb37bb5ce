import Foundation

/// A test's directory below the system's temporary directory, mode 0700. Removed with its contents when the last
/// reference is released, or at the latest when the process ends (see ``TemporaryRoot``); kept in a ``CanaryRun``.
package final class TemporaryDirectory: Sendable {
    /// The directory's absolute path, without a trailing slash.
    package let path: String
    private let isKept: Bool

    package init() throws {
        isKept = false
        path = "\(try CanaryRun.directory ?? TemporaryRoot.path.get())/\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    /// A directory that exists and is not removed.
    package init(existing path: String) {
        self.path = path
        isKept = true
    }

    deinit {
        guard !isKept, CanaryRun.directory == nil else { return }
        // A test may have moved or removed the directory itself; nothing is left to do then.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` inside the directory.
    package func path(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
