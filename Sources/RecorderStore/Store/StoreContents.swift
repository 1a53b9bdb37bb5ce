package import FoundationEssentials
package import RecordFormats
import RecorderSQLite

/// A record as it is stored, for people and other programs.
package struct ContentRecord: Sendable {
    /// When it was saved.
    package let savedAt: Date
    /// The key that it is sent with; nil if it has none.
    package let partitionKey: String?
    package let data: Data

    /// What the key says about the record, if it was saved without one.
    package var identity: RecordIdentity? { partitionKey.flatMap { RecordIdentity(partitionKey: $0) } }
}

/// The records of a store's file, read without changing it, while other processes save and submit.
///
/// They are read in pages, each in a transaction of its own, so that a slow reader keeps no process from shrinking the log. A
/// record that is in the store all the time is returned once; one that is delivered in between may be missing. Not Sendable.
package final class StoreContents {
    /// The records of one stream, oldest first, as far as they were read.
    package struct Position: Sendable {
        package let stream: StreamSummary
        fileprivate var last: RecordID?
    }

    /// The streams that have records, by number.
    package let streams: [StreamSummary]
    private let store: ReadOnlyStore
    /// The wall clock's time less the store's, in ms.
    private let clockOffset: Int64
    /// Later records are not read.
    private let end: Int64

    /// A page has so many records or bytes of data at most, or one larger record.
    private static let mostRecords = 1_000
    private static let mostBytes = 1 << 20

    /// Opens a file that exists. Throws for a damaged one, and for one of another version.
    package init(at location: StoreLocation, clock: SystemClock = .system) throws(RecorderError) {
        let store = try ReadOnlyStore(at: location)
        self.store = store
        (streams, end, clockOffset) = try store.perform(
            (
                store.isEmpty ? [] : try store.reader().streamsWithRecords(),
                store.isEmpty
                    ? 0 : try store.connection.integer("SELECT next_sequence FROM stream WHERE number = 0") ?? 0,
                StoreClock(clock).offset(by: try StoreClock.Reference.read(store.connection))
            )
        )
    }

    /// The position before a stream's oldest record.
    package func start(of stream: StreamSummary) -> Position { Position(stream: stream) }

    /// The next records; none at the end. `count` is how many are wanted at most.
    package func page(
        at position: inout Position,
        atMost count: Int = .max
    ) throws(RecorderError) -> [ContentRecord] {
        var page = Page(
            mostRecords: min(count, Self.mostRecords),
            mostBytes: Self.mostBytes,
            clockOffset: clockOffset
        )
        try store.perform(try read(&page, at: position))
        position.last = page.last ?? position.last
        return page.records
    }

    private func read(_ page: inout Page, at position: Position) throws(SQLiteError) {
        let number = position.stream.number
        // A record that leaves the range of its segment between two pages is found among the kept ones, which come first.
        guard let cursor = try store.connection.integer("SELECT cursor FROM stream WHERE number = \(number)") else {
            return
        }
        let kept = try RecordID(cursor: cursor, of: number)
        let last = RecordID(stream: number, sequence: end).previous
        let first = position.last?.next ?? RecordID(stream: number, sequence: 0)
        func add(_ record: ScannedRecord) throws(SQLiteError) -> Bool { try page.add(record) }
        let keptRecords = RecordScan(.kept, store.connection)
        guard try keptRecords.forEach(from: first, through: min(kept, last), add) else { return }
        var next = max(first, kept.next)
        let segments = try store.reader().allSegments()
        let ends = segments.dropFirst().map(\.first) + [RecordID.sequences.upperBound + 1]
        for (segment, end) in zip(segments, ends) where next.sequence < end && next <= last {
            guard try RecordScan(BlockTable(segment), store.connection).forEach(from: next, through: last, add) else {
                return
            }
            if let read = page.last { next = max(next, read.next) }
        }
    }
}

@available(*, unavailable)
extension StoreContents: Sendable {}

/// Records while they are copied.
private struct Page {
    let mostRecords: Int
    let mostBytes: Int
    let clockOffset: Int64
    private(set) var records: [ContentRecord] = []
    private(set) var last: RecordID?
    private var bytes = 0

    init(mostRecords: Int, mostBytes: Int, clockOffset: Int64) {
        (self.mostRecords, self.mostBytes, self.clockOffset) = (mostRecords, mostBytes, clockOffset)
    }

    /// Adds a record; false if that is the last one for which there is room.
    mutating func add(_ record: ScannedRecord) throws(SQLiteError) -> Bool {
        guard record.isUnaltered else { throw .damagedRecord }
        guard records.count < mostRecords else { return false }
        records.append(
            unsafe ContentRecord(
                savedAt: Date(milliseconds: record.savedAt &+ clockOffset),
                partitionKey: record.key.isEmpty ? nil : String(decoding: record.key, as: UTF8.self),
                data: Data(record.data)
            )
        )
        last = record.id
        bytes += unsafe record.data.count
        return records.count < mostRecords && bytes < mostBytes
    }
}
