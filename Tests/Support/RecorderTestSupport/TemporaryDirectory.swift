import Foundation

/// A directory of the test's own below the system's temporary directory, mode 0700, removed with everything in it when
/// the last reference goes, and at the latest with the process (see ``TemporaryRoot``). It
/// stays in a ``CanaryRun``.
package final class TemporaryDirectory: Sendable {
    /// The directory's absolute path, without a trailing slash.
    package let path: String
    private let stays: Bool

    package init() throws {
        stays = false
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
        stays = true
    }

    deinit {
        guard !stays, CanaryRun.directory == nil else { return }
        // A test may have moved or removed the directory itself; nothing is left to do then.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of `name` inside the directory.
    package func path(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
