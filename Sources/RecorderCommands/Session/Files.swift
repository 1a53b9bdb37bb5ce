import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderEngine

/// Questions to the file system.
enum Files {
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    /// Where relative paths begin.
    static var workingDirectory: String { FileManager.default.currentDirectoryPath }

    /// The sorted names in a directory; none where it cannot be read.
    static func names(in directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    /// The bytes that this user may still write to the disk of a directory; nil if that is unknown.
    static func freeSpace(in directory: String) -> Int? {
        var disk = statvfs()
        guard unsafe statvfs(directory, &disk) == 0 else { return nil }
        return Int(clamping: disk.f_bavail.multipliedReportingOverflow(by: disk.f_frsize).partialValue)
    }

    /// The type of the file system that a directory is on, such as `ext4`; nil if it is unknown.
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

    /// The text of an error number.
    static func message(of number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }
}

/// A store, recognized by the name of its file.
struct StoreFile: Sendable {
    /// As `kinesis` or `amplify-firehose`.
    let service: String
    /// The key of a recorder or the region of an Amplify client; nil for a default recorder.
    let key: String?
    let location: StoreLocation

    /// The option that selects it among the stores of its directory; nil for a default recorder, and where the file's name is a
    /// hash of the key.
    var option: String? { key.flatMap { $0.contains(".") ? nil : "--key \(FileRights.quoted($0))" } }

    /// The file names begin with these; a key or a region follows.
    private static let services = ["kinesis", "firehose", "amplify-kinesis", "amplify-firehose"]

    /// nil if the name is not that of a store.
    private init?(_ file: String, in directory: String) {
        guard file.hasSuffix(".db") else { return nil }
        let stem = file.dropLast(3)
        guard let service = Self.services.first(where: { stem == $0 || stem.hasPrefix("\($0)-") }) else { return nil }
        self.service = service
        key = stem == service ? nil : String(stem.dropFirst(service.count + 1))
        // By file name, not by key: a key that cannot be a file name is hashed into one.
        location = StoreLocation(directory: directory, fileName: file)
    }

    /// Whether a name is that of a store's database or of a file beside it, whether there is one or not.
    static func isPart(_ name: Substring) -> Bool {
        StoreLocation.endings.contains { ending in
            name.hasSuffix(ending) && StoreFile(String(name.dropLast(ending.count)), in: "/") != nil
        }
    }

    /// The stores of a directory, by name.
    static func all(in directory: String) -> [StoreFile] {
        Files.names(in: directory).compactMap { StoreFile($0, in: directory) }
    }
}
