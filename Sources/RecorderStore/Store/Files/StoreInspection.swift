import Glibc
import RecorderAWS

/// The state of a store's directory and files, for diagnosis. Nothing is created, opened or changed.
package struct StoreInspection: Sendable {
    /// The directory without links; nil if it does not exist yet.
    package let directory: String?
    /// The symbolic links in the directory's path, from the root down: the path of each, and its target.
    package let links: [(path: String, target: String)]
    /// Why the directory can neither be reached nor created; nil if it can.
    package let obstacle: String?
    /// The directory and the store's files that exist, by name, with their modes as `chmod` takes them.
    package let modes: [(name: String, mode: String)]
    /// Why a store here would be refused, and how to fix it.
    package let problems: [(text: String, remedy: String)]
    /// Files and directories of this user that others may use; opening the store makes them private.
    package let loose: [(path: String, mode: String)]

    /// Why a file can neither be reached nor created at a location; nil if it can.
    package static func obstacle(in location: StoreLocation) -> String? {
        PathDiagnosis.obstacle(in: location.path)
    }

    /// The directory, or the nearest one above it that exists.
    package let nearestDirectory: String

    /// Makes, locks and removes a file in a directory, as a store there would. Returns why that fails; nil if it works.
    package static func trial(in directory: String) -> String? {
        let path = "\(directory)/.trial-\(getpid())"
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return "no file can be created in \(directory): \(String(errorNumber: errno))" }
        defer {
            _ = close(file)
            _ = unsafe unlink(path)
        }
        guard flock(file, LOCK_EX | LOCK_NB) != 0 else { return nil }
        return StorageErrorMapping.lockMessage(errno, path: path)
    }

    /// Why a directory cannot be created below another one; nil if it can.
    private static func obstacle(creatingIn directory: String) -> String? {
        guard unsafe access(directory, W_OK | X_OK) != 0 else { return nil }
        return "nothing can be created in \(directory): \(String(errorNumber: errno))"
    }

    package init(_ location: StoreLocation) {
        let existing = PathDiagnosis.components(of: location.directory).last { FileStatus(path: $0) != nil } ?? "/"
        nearestDirectory = existing
        let isNew = FileStatus(path: location.directory) == nil
        obstacle = Self.obstacle(in: location) ?? (isNew ? Self.obstacle(creatingIn: existing) : nil)
        links = PathDiagnosis.links(in: location.directory).map { ($0.path, $0.target) }
        var (modes, problems, loose): ([(String, String)], [(String, String)], [(String, String)]) = ([], [], [])
        directory = try? PrivateDirectory.resolve(location.directory)
        if let directory, let status = FileStatus(path: directory) {
            modes.append(("directory", status.modeText))
            if StoreDirectory.isTightened(directory, status) {
                loose.append((directory, status.modeText))
            } else if let wrong = FileRights.problem(ofDirectory: directory, status) {
                problems.append((wrong.problem, wrong.remedy))
            }
            for suffix in StoreFiles.suffixes {
                let name = "\(location.fileName)\(suffix)"
                let path = StoreLocation(directory: directory, fileName: name).path
                guard let status = FileStatus(path: path) else { continue }
                modes.append((name, status.modeText))
                if let wrong = FileRights.problem(ofFile: path, status) {
                    problems.append((wrong.problem, wrong.remedy))
                } else if status.othersHaveAccess {
                    loose.append((path, status.modeText))
                }
            }
        }
        (self.modes, self.problems, self.loose) = (modes, problems, loose)
    }
}
