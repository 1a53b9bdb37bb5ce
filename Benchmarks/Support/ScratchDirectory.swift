import Foundation

/// A directory for one measurement, in the build directory: that is on a disk, whereas `/tmp` may be in memory.
///
/// Removed with the last reference. The next run removes what a killed run has left.
final class ScratchDirectory: Sendable {
    let path: String

    private static let prefix = "benchmark-files-"

    init() throws {
        let directory = Bundle.main.executableURL.map { $0.resolvingSymlinksInPath().deletingLastPathComponent() }
        guard let directory else { fatalError("This program cannot find its own file.") }
        Self.removeAbandoned(in: directory)
        let name = "\(Self.prefix)\(getpid())-\(UUID().uuidString.prefix(8))"
        path = directory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        // A failure is harmless: the next run removes it.
        try? FileManager.default.removeItem(atPath: path)
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The size of the files in it, those of its folders included.
    func bytes() throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: path).reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: self.path(name))
            let isFile = attributes[.type] as? FileAttributeType == .typeRegular
            return sum + (isFile ? attributes[.size] as? Int ?? 0 : 0)
        }
    }

    private static func removeAbandoned(in directory: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let process = name.dropFirst(prefix.count).split(separator: "-").first.flatMap { pid_t($0) } ?? 0
            if process <= 0 || (kill(process, 0) != 0 && errno == ESRCH) {
                try? FileManager.default.removeItem(at: directory.appendingPathComponent(name))
            }
        }
    }
}
