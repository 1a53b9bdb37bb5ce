import Foundation

/// Questions to the file system.
enum Files {
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    /// The names in a directory, in order; none where it cannot be read.
    static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    /// The kind of file system that a directory is on, as in `ext4`; nil where it cannot be found out.
    static func fileSystem(of directory: String) -> String? {
        let resolved = URL(fileURLWithPath: directory).resolvingSymlinksInPath().path
        // Each line: device, mount point, type, …; https://man7.org/linux/man-pages/man5/proc_mounts.5.html
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        var found: (point: String, type: String)?
        for fields in mounts.split(separator: "\n").map({ $0.split(separator: " ") }) where fields.count > 2 {
            let point = fields[1] == "/" ? "/" : "\(fields[1])/"
            guard "\(resolved)/".hasPrefix(point), point.count >= found?.point.count ?? 0 else { continue }
            found = (point, String(fields[2]))
        }
        return found?.type
    }

    static func problem(_ number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }
}
