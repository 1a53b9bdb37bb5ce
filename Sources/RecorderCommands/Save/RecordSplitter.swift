package import Foundation

/// Cuts a stream of bytes into records at a delimiter; bytes are bytes, whatever they say.
///
/// A record over the limit is passed over to its end, counted, and never held in memory.
package struct RecordSplitter {
    /// A record that was passed over.
    struct Refusal: Sendable, Hashable {
        /// Counted from 1, refused ones included.
        let number: Int
        let bytes: Int
    }

    /// A record, and where in the input it begins.
    package struct Piece: Sendable {
        package let data: Data
        let place: Place
    }

    /// A place between two records.
    package struct Place: Sendable, Comparable {
        /// The records before it, refused ones included.
        package var records = 0
        package var byte = 0

        package static func < (a: Place, b: Place) -> Bool { a.byte < b.byte }
    }

    private let delimiter: UInt8?
    private let maximumBytes: Int
    private let keepsDelimiter: Bool

    /// The beginning of a record whose end has not come yet.
    private var begun: [UInt8] = []
    /// The bytes passed over of a record that is too long.
    private var passedOver = 0
    /// Where the record begins whose end has not come yet.
    package private(set) var place: Place
    /// Where the next chunk begins.
    private var end: Int
    private(set) var refused: [Refusal] = []
    package private(set) var refusedCount = 0

    private static let remembered = 3

    /// `maximumBytes` is that of a record as it is saved; nil as `delimiter` makes the whole input one record. The input
    /// begins at byte `start` of something longer.
    package init(delimiter: UInt8?, keepsDelimiter: Bool, maximumBytes: Int, start: Int = 0) {
        place = Place(byte: start)
        end = start
        self.delimiter = delimiter
        self.keepsDelimiter = keepsDelimiter && delimiter != nil
        self.maximumBytes = maximumBytes
    }

    /// Whether the end of a record is awaited.
    var isWithinRecord: Bool { !begun.isEmpty || passedOver > 0 }

    /// Hands each record that ends in `chunk` to `use`.
    package mutating func take(_ chunk: [UInt8], _ use: (Piece) -> Void) {
        var start = 0
        while let found = delimiter(in: chunk, from: start) {
            endRecord(chunk[start..<found], nextByte: end + found + 1, use)
            start = found + 1
        }
        begin(chunk[start...])
        end += chunk.count
    }

    /// The last record may lack its delimiter; call it when no more bytes come.
    package mutating func finish(_ use: (Piece) -> Void) {
        guard isWithinRecord else { return }
        endRecord([], nextByte: end, use)
    }

    private func delimiter(in chunk: [UInt8], from start: Int) -> Int? {
        guard let delimiter, start < chunk.count else { return nil }
        return unsafe chunk.withUnsafeBytes { bytes in
            // memchr looks at many bytes at a time.
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let base = rest.baseAddress, let found = unsafe memchr(base, Int32(delimiter), rest.count) else {
                return nil
            }
            return unsafe start + (UnsafeRawPointer(found) - base)
        }
    }

    private mutating func begin(_ part: ArraySlice<UInt8>) {
        guard !part.isEmpty else { return }
        if passedOver == 0, begun.count + part.count <= maximumBytes {
            begun += part
        } else {
            passedOver += begun.count + part.count
            begun = []
        }
    }

    private mutating func endRecord(_ part: ArraySlice<UInt8>, nextByte: Int, _ use: (Piece) -> Void) {
        let place = place
        self.place = Place(records: place.records + 1, byte: nextByte)
        let bytes = passedOver + begun.count + part.count + (keepsDelimiter ? 1 : 0)
        guard bytes <= maximumBytes else {
            refusedCount += 1
            if refused.count < Self.remembered { refused.append(Refusal(number: place.records + 1, bytes: bytes)) }
            passedOver = 0
            begun = []
            return
        }
        var record = begun.isEmpty ? Data(part) : Data(begun + part)
        if keepsDelimiter, let delimiter { record.append(delimiter) }
        begun = []
        use(Piece(data: record, place: place))
    }
}
