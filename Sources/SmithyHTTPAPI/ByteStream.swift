public import struct Foundation.Data

/// The body of a request or an answer, always at hand as a whole.
public enum ByteStream: Sendable, Equatable {
    /// These bytes.
    case data(Data?)
    /// No body.
    case noStream

    /// A body without bytes.
    public static var empty: ByteStream { .data(nil) }

    /// Whether there are no bytes.
    public var isEmpty: Bool { bytes?.isEmpty ?? true }

    /// The bytes; nil where there are none.
    public func readData() async throws -> Data? { bytes }

    /// The bytes; nil where there are none.
    package var bytes: Data? {
        switch self {
        case .data(let data): data
        case .noStream: nil
        }
    }
}

extension ByteStream: CustomStringConvertible, CustomReflectable {
    /// How many bytes there are.
    public var description: String { "\(bytes?.count ?? 0) bytes" }

    /// A mirror that shows the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description]) }
}
