public import struct Foundation.Data

/// The body of a request or a response, always complete and in memory.
public enum ByteStream: Sendable, Equatable {
    /// These bytes.
    case data(Data?)
    /// No body.
    case noStream

    /// A body without bytes.
    public static var empty: ByteStream { .data(nil) }

    /// Whether the body is empty.
    public var isEmpty: Bool { bytes?.isEmpty ?? true }

    /// The bytes; nil without a body.
    public func readData() async throws -> Data? { bytes }

    /// The bytes; nil without a body.
    package var bytes: Data? {
        switch self {
        case .data(let data): data
        case .noStream: nil
        }
    }
}

extension ByteStream: CustomStringConvertible, CustomReflectable {
    /// The number of bytes.
    public var description: String { "\(bytes?.count ?? 0) bytes" }

    /// A mirror that contains only the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description]) }
}
