import Foundation

/// What this process may do. An ordinary user may do none of it, and root not all in a container or a chroot, where it has no
/// capability for it or where the root directory is no mount point.
package enum Privileges {
    /// Whether it can give a file to another user.
    package static let givesFilesAway: Bool = {
        guard let directory = try? TemporaryDirectory() else { return false }
        return chown(directory.path, 54_321, 54_321) == 0 && chown(directory.path, geteuid(), getegid()) == 0
    }()

    /// Whether it can mount a file system in a mount namespace of its own.
    package static let mounts = runs("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/tmp")

    /// Whether it can unmount /proc in a mount namespace of its own.
    package static let unmountsProc = runs("unshare", "--mount", "umount", "-l", "/proc")

    /// Whether strace is installed and may trace.
    package static let traces = runs(
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "inject=mkdir:error=EIO:when=9",
        "true"
    )

    private static func runs(_ words: String...) -> Bool { runs(words) }

    static func runs(_ words: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        guard let end = try? ProcessEnd(starting: process) else { return false }
        end.wait()
        return process.terminationStatus == 0
    }
}
