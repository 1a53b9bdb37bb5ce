import Foundation

/// Reads the log that `Tests/Faults/PowerLog/powerlog.c` writes: what a process did to its files.
struct PowerLog {
    enum Event {
        case opened(file: UInt32, path: String, isNew: Bool)
        case wrote(file: UInt32, offset: Int, bytes: [UInt8])
        case truncated(file: UInt32, size: Int)
        case grew(file: UInt32, size: Int)
        case syncBegan(file: UInt32)
        case syncEnded(file: UInt32)
        case syncFailed(file: UInt32)
        case made(directory: String)
        case unlinked(String)
        case renamed(String, to: String)
        case linked(String, to: String)
        /// Lines of the journal, see `JournalState`.
        case journaled([UInt8])
    }

    let events: [Event]
    /// Where in the log each event ends.
    let ends: [Int]

    init(_ path: String) throws {
        let log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var events: [Event] = []
        var ends: [Int] = []
        var position = 0
        func number<N: FixedWidthInteger>(_ type: N.Type) -> N {
            defer { position += MemoryLayout<N>.size }
            return log[position..<position + MemoryLayout<N>.size].reversed().reduce(0) { $0 << 8 | N($1) }
        }
        while position < log.count {
            let kind = Character(UnicodeScalar(UInt8(number(UInt32.self))))
            let file = number(UInt32.self)
            let offset = Int(number(UInt64.self))
            let length = Int(number(UInt64.self))
            let bytes = Array(log[position..<position + length])
            position += length
            events.append(try Self.event(kind, file, offset, bytes))
            ends.append(position)
        }
        (self.events, self.ends) = (events, ends)
    }

    private static func event(_ kind: Character, _ file: UInt32, _ offset: Int, _ bytes: [UInt8]) throws -> Event {
        var names: [String] {
            bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
        }
        switch kind {
        case "O", "C": return .opened(file: file, path: names[0], isNew: kind == "C")
        case "W": return .wrote(file: file, offset: offset, bytes: bytes)
        case "T": return .truncated(file: file, size: offset)
        case "A": return .grew(file: file, size: offset)
        case "S": return .syncBegan(file: file)
        case "s": return .syncEnded(file: file)
        case "F": return .syncFailed(file: file)
        case "M": return .made(directory: names[0])
        case "U": return .unlinked(names[0])
        case "R": return .renamed(names[0], to: names[1])
        case "L": return .linked(names[0], to: names[1])
        case "J": return .journaled(bytes)
        default: throw POSIXError(.EILSEQ)
        }
    }
}
