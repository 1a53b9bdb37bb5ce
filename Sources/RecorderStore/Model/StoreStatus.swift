package import RecorderAWS

package import struct FoundationEssentials.Date

/// The status of a store: its counts, the limits of the last process that saved, and each stream.
package struct StoreStatus: Sendable {
    package let totals: StoreTotals
    /// The limits of the last save of any process; nil before the first one.
    package let limits: DiskLimits?
    /// By name, including streams without records.
    package var streams: [StreamStatus]
    /// The copies of rejected records.
    package var rejectedCopies = 0
}

/// The status of one stream of a store.
package struct StreamStatus: Sendable {
    package let name: StreamName
    /// Records stored now.
    package let records: Int
    /// What they take, as the store's totals count it, in bytes.
    package let bytes: Int
    /// When the oldest of them was saved; nil if there are none.
    package let oldest: Date?
    /// Why the last flush kept records, and when; nil if it did not.
    package let lastError: LastError?

    package struct LastError: Sendable, Hashable {
        package let message: String
        package let date: Date
    }
}

/// The store's counts at one instant, of all processes, since its file was created.
///
/// saved = records + delivered + discarded + cleared, always.
package struct StoreTotals: Sendable, Hashable {
    /// Stored now.
    package var records = 0
    /// What they take, in bytes.
    package var bytes = 0
    package var saved = 0
    package var delivered = 0
    /// Entries of requests in which these were delivered: what the service counts and bills as records.
    package var entries = 0
    /// The number of failures after which a record was kept.
    package var retried = 0
    /// Discarded because of the byte limit.
    package var evicted = 0
    /// Discarded because of the age limit.
    package var expired = 0
    /// Discarded because the service called them invalid.
    package var rejected = 0
    /// Discarded after too many failures.
    package var exhausted = 0
    package var cleared = 0
    package var nextSequence: Int64 = 1

    package var discarded: Int { evicted + expired + rejected + exhausted }

    /// Larger counts of records or bytes are corruption. Sums of such counts do not overflow.
    static let plausible: ClosedRange<Int64> = 0...1 << 60

    /// No service accepts a record of so many bytes.
    private static let largestRecord: Int64 = 1 << 25

    /// Whether so many records can take so many bytes. Limits depend on these counts: believing a corrupted one could evict
    /// everything.
    static func isPlausible(records: Int64, bytes: Int64) -> Bool {
        RecordID.sequences.contains(records) && plausible.contains(bytes)
            && bytes >= records * Int64(Record.overhead) && bytes / largestRecord <= records
    }

    /// A stream's bytes. An implausible number is only brought into range: a status says what it can, and a save into a full store
    /// compares them with the store's.
    static func streamBytes(_ stored: Int64) -> Int {
        Int(min(max(stored, plausible.lowerBound), plausible.upperBound))
    }
}

/// A stream with records, as a flush finds it.
package struct StreamSummary: Sendable, Hashable {
    package let number: Int64
    package let name: StreamName
    /// How many records it had when the summary was made.
    package var records = 0
    /// What they took, in bytes.
    package var bytes = 0

    package init(number: Int64, name: StreamName, records: Int = 0, bytes: Int = 0) {
        self.number = number
        self.name = name
        self.records = records
        self.bytes = bytes
    }

    /// No service accepts a larger record, in bytes.
    private static let largestRecord = 10 * 1_024 * 1_024

    /// The approximate size of one of its requests, in bytes.
    package func batchBytes(for policy: RecorderPolicy) -> Int {
        batchBytes(limit: policy.batchByteLimit, sharesEntries: policy.sharedEntryBytes != nil)
    }

    /// The approximate size of one of its requests, in bytes, if payloads and keys of a batch take `limit` at most. A larger record
    /// has a request of its own.
    package func batchBytes(limit: Int, format: RequestFormat = .json, sharesEntries: Bool = false) -> Int {
        // The counts may be corrupted.
        let (stored, count) = (min(max(bytes, 0), 1 << 40), min(max(records, 1), 1 << 40))
        let inBatch = min(count, sharesEntries ? max(limit / max(stored / count, 1), 500) : 500)
        let average = min(stored / count, Self.largestRecord)
        let bytes = max(min(stored, max(limit, average), average * inBatch), 0)
        return (format == .json ? bytes / 3 * 4 : bytes) + (sharesEntries ? 0 : inBatch * 48)
    }
}
