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

    package init(_ location: StoreLocation) {
        obstacle = Self.obstacle(in: location)
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
