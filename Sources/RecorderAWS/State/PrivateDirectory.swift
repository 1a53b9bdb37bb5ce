import Glibc

/// Creates and resolves directories for this user's files.
package enum PrivateDirectory {
    /// The absolute path of a directory, so that later changes of the working directory do not matter.
    package static func absolute(_ directory: String) throws(ConfigurationFailure) -> String {
        guard !directory.isEmpty else { throw ConfigurationFailure("The name of the directory is empty. \(remedy)") }
        guard !directory.utf8.contains(0) else {
            throw ConfigurationFailure("The name of the directory contains a zero byte. \(remedy)")
        }
        // The replacement character: bytes could not be decoded, and another directory may have it in its name.
        guard !directory.unicodeScalars.contains("\u{FFFD}") else {
            throw ConfigurationFailure("The name of the directory \(directory) is not UTF-8. \(remedy)")
        }
        if directory.hasPrefix("/") { return directory }
        guard let current = getcwd(nil, 0) else {
            throw ConfigurationFailure(
                "The directory \(directory) is relative to the working directory, which no longer exists "
                    + "(\(String(errorNumber: errno))). Give an absolute path."
            )
        }
        defer { free(current) }
        guard let name = String(validatingCString: current) else {
            throw ConfigurationFailure("The working directory's name is not UTF-8. Give an absolute path.")
        }
        return "\(name)/\(directory)"
    }

    private static let remedy = "Set \(StateDirectory.override) to a directory of your own."

    /// Creates the directory and the missing ones above it, for this user only.
    package static func make(_ directory: String) throws(ConfigurationFailure) {
        var missing: [String] = []
        for path in PathDiagnosis.components(of: directory).reversed() {
            var status = stat()
            if stat(path, &status) == 0, missing.isEmpty || status.st_mode & S_IFMT == S_IFDIR { break }
            missing.append(path)
        }
        missing.reverse()
        for path in missing {
            if mkdir(path, 0o700) == 0 {
                // The umask may have removed permissions that this user needs.
                chmod(path, 0o700)
            } else if errno != EEXIST || !isDirectory(path) {
                let reason = String(errorNumber: errno)
                throw ConfigurationFailure(
                    PathDiagnosis.obstacle(in: directory) ?? (path == directory ? reason : "\(path): \(reason)")
                )
            }
        }
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The path of an existing directory without links, `.` and `..`: the same for all its names.
    package static func resolve(_ directory: String) throws(ConfigurationFailure) -> String {
        guard let resolved = realpath(directory, nil) else {
            let reason = String(errorNumber: errno)
            throw ConfigurationFailure(PathDiagnosis.obstacle(in: directory) ?? reason)
        }
        defer { free(resolved) }
        guard let name = String(validatingCString: resolved) else {
            throw ConfigurationFailure("it leads to a directory whose name is not UTF-8")
        }
        return name
    }
}
