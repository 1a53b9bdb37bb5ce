import FoundationEssentials

/// Writes much to standard output, in large pieces. After an error it discards the rest; `Console` keeps the error.
struct BufferedOutput {
    private let console: Console
    private var buffer: [UInt8] = []
    private(set) var hasFailed = false

    private static let size = 256 * 1_024

    init(_ console: Console) {
        self.console = console
    }

    mutating func append(_ text: String) {
        buffer.append(contentsOf: text.utf8)
    }

    mutating func append(_ data: Data) {
        buffer.append(contentsOf: data)
    }

    /// Ends a line, and writes what has been added if it is much.
    mutating func endLine() {
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= Self.size { flush() }
    }

    /// Writes what has been added.
    mutating func flush() {
        if !hasFailed { hasFailed = !console.print(bytes: buffer) }
        buffer.removeAll(keepingCapacity: true)
    }
}
