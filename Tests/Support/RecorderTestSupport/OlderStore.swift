package import Foundation

/// A store that an earlier version wrote: `format2` by the tool of the last version with that format, `format1` made from it by
/// removing what format 2 added.
///
/// 300 records of stream a were delivered and 40 saved later; of 24 of stream b those named kept failed and 4 were saved later;
/// all 3 of stream denied failed.
package enum OlderStore: String, CaseIterable, Sendable {
    case format1, format2

    /// The counts that it contains.
    package static let saved = 367
    package static let delivered = 316

    /// The texts of the records that wait in it, by stream, in the order of their saves.
    package static let waiting = [
        "a": (301...340).map { "third \($0)" },
        "b": stride(from: 5, through: 20, by: 5).map { "kept \($0)" } + (21...24).map { "fourth \($0)" },
        "denied": ["1", "2", "3"],
    ]

    /// The texts of all records that wait in it.
    package static let allWaiting = waiting.sorted { $0.key < $1.key }.flatMap(\.value)

    /// The bytes of its file.
    package func bytes() throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(Repository.path)/Tests/Support/OlderStores/\(rawValue).db"))
    }

    /// Writes its file to a new directory, as the store of Kinesis.
    package func write(to directory: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try bytes().write(to: URL(fileURLWithPath: "\(directory)/kinesis.db"))
    }
}
