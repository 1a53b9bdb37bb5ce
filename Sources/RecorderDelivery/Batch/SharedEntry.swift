import RecordFormats
import RecorderAWS

/// An entry of a request while records are put into it.
///
/// One record is sent as it is. From the second on, records for Kinesis are aggregated, and those for Firehose joined.
struct SharedEntry {
    /// How records share an entry.
    enum Form: Sendable {
        /// One after the other, each with its newline.
        case joined
        /// As `AggregatedEntry`.
        case aggregated
    }

    /// How records share entries, and how large these may be.
    struct Limits: Sendable {
        let form: Form
        let dataBytes: Int
        /// Of data and partition key.
        let recordBytes: Int
    }

    /// The key it is sent with; empty if it has none.
    let partitionKey: [UInt8]
    /// The failures so far of each of its records: all share one fate.
    let failures: Int
    /// How many records are in it.
    private(set) var count = 1
    /// The data of the only record, or the joined ones.
    private var data: [UInt8]
    private var aggregated: AggregatedEntry?

    /// An entry with one record.
    init(data: UnsafeRawBufferPointer, partitionKey: [UInt8], failures: Int) {
        unsafe self.data = Array(data)
        self.partitionKey = partitionKey
        self.failures = failures
    }

    /// Data and partition key in bytes, as the service counts them.
    var bytes: Int { (aggregated?.encodedCount ?? data.count) + partitionKey.count }

    /// The hash of its partition key, if it is aggregated.
    var hashKey: UInt128? { aggregated == nil ? nil : AggregatedEntry.hashKey(of: partitionKey) }

    /// Puts another record into the entry and returns by how many bytes it grew; nil if the record failed more or less often than
    /// the others, or if the entry would grow by more than `room` or be larger than the limits.
    ///
    /// `ownKey` is the record's partition key if the records of the entry have keys of their own.
    mutating func append(
        _ record: UnsafeRawBufferPointer,
        ownKey: UnsafeRawBufferPointer?,
        failures: Int,
        room: Int,
        limits: Limits
    ) -> Int? {
        guard failures == self.failures else { return nil }
        let (before, form) = (bytes, limits.form)
        let maximumBytes = min(
            limits.dataBytes,
            min(before + room, limits.recordBytes) - partitionKey.count
        )
        let fits =
            unsafe form == .joined
            ? join(record, maximumBytes: maximumBytes) : aggregate(record, ownKey: ownKey, maximumBytes: maximumBytes)
        guard fits else { return nil }
        count += 1
        return bytes - before
    }

    private mutating func join(_ record: UnsafeRawBufferPointer, maximumBytes: Int) -> Bool {
        // A record that was stored without its newline stays alone.
        guard data.count + record.count <= maximumBytes, data.last == Self.newline else { return false }
        guard unsafe record.last == Self.newline else { return false }
        unsafe data.append(contentsOf: record)
        return true
    }

    private static let newline = UInt8(ascii: "\n")

    private mutating func aggregate(
        _ record: UnsafeRawBufferPointer,
        ownKey: UnsafeRawBufferPointer?,
        maximumBytes: Int
    ) -> Bool {
        guard bytes + record.count <= maximumBytes else { return false }
        return unsafe partitionKey.withUnsafeBytes { entryKey in
            let key = unsafe ownKey ?? entryKey
            if aggregated != nil {
                aggregated?.maximumBytes = maximumBytes
                return unsafe aggregated?.append(data: record, partitionKey: key) == true
            }
            var both = AggregatedEntry(maximumBytes: maximumBytes, hashKeyOf: unsafe ownKey == nil ? nil : partitionKey)
            let fits = unsafe data.withUnsafeBytes { unsafe both.append(data: $0, partitionKey: entryKey) }
            guard fits, unsafe both.append(data: record, partitionKey: key) else { return false }
            aggregated = both
            return true
        }
    }

    /// Appends the entry to a request, and returns its range there.
    func write(to request: inout PutRequest) -> Range<Int> {
        unsafe partitionKey.withUnsafeBytes { key in
            unsafe (aggregated?.encoded() ?? data).withUnsafeBytes {
                unsafe request.append(data: $0, partitionKey: key)
            }
        }
    }
}
