/// Files that a follower's process writes: their lines would lead to more of them, without end.
package struct OwnFiles: Sendable, Hashable {
    /// Those that are open.
    package var keys: Set<FileKey> = []
    /// One that is replaced: its directory, without links, and its name.
    package var replaced: Replaced?

    package struct Replaced: Sendable, Hashable {
        package let directory: String
        package let name: String

        package init(directory: String, name: String) { (self.directory, self.name) = (directory, name) }
    }

    package init() {}

    /// `directory` is that of the file, without links.
    func contains(_ file: FileKey, named name: Substring, in directory: @autoclosure () -> String?) -> Bool {
        if keys.contains(file) { return true }
        guard let replaced else { return false }
        // Under the longer name until it takes the file's place.
        let isNamed = name == replaced.name || name.hasPrefix("\(replaced.name).") && name.hasSuffix(".tmp")
        return isNamed && directory() == replaced.directory
    }
}
