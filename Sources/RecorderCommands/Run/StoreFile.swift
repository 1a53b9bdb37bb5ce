import Foundation
import RecorderEngine

/// A store by the name of its file: whose it is, and where it lies.
struct StoreFile: Sendable {
    /// As `kinesis` or `amplify-firehose`.
    let service: String
    /// The key of a recorder, the region of an Amplify client; nil for a default recorder.
    let key: String?
    let location: StoreLocation

    /// The beginnings of the names; those of the Amplify clients go on with their region.
    private static let services = ["kinesis", "firehose", "amplify-kinesis", "amplify-firehose"]

    /// Nil for a file that is no store by its name.
    private init?(_ file: String, in directory: String) {
        guard file.hasSuffix(".db") else { return nil }
        let stem = file.dropLast(3)
        guard let service = Self.services.first(where: { stem == $0 || stem.hasPrefix("\($0)-") }) else { return nil }
        self.service = service
        key = stem == service ? nil : String(stem.dropFirst(service.count + 1))
        // By its file name: keys that are no file names are hashed there.
        location = StoreLocation(directory: directory, fileName: file)
    }

    /// All stores of a directory, by name.
    static func all(in directory: String) -> [StoreFile] {
        Files.names(in: directory).compactMap { StoreFile($0, in: directory) }
    }
}
