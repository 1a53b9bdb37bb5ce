/// The store's counts at one instant, of all processes and since its file was made.
///
/// saved = records + delivered + discarded + cleared, always.
package struct StoreTotals: Sendable, Hashable {
    /// Stored now.
    package var records = 0
    /// What they take.
    package var bytes = 0
    package var saved = 0
    package var delivered = 0
    /// Failures after which a record stayed, each time.
    package var retried = 0
    /// Discarded for the byte limit.
    package var evicted = 0
    /// Discarded for the age limit.
    package var expired = 0
    /// Discarded because the service called them invalid.
    package var rejected = 0
    /// Discarded after too many failures.
    package var exhausted = 0
    package var cleared = 0
    var nextSequence: Int64 = 1

    /// No count of records or bytes comes near this, and no sum of such counts overflows: what is beyond it is damage.
    static let plausible: ClosedRange<Int64> = 0...1 << 60

    /// Whether so many records can take so many bytes. A limit goes by these counts: were they believed whatever they are, a
    /// flipped bit could evict everything.
    static func canBe(records: Int64, bytes: Int64) -> Bool {
        RecordID.sequences.contains(records) && plausible.contains(bytes)
            && bytes >= records * Int64(Record.overhead) && bytes / largestRecord <= records
    }

    /// A stream's bytes. No limit goes by them, and earlier versions left them too low after a rescue, so that a number that
    /// cannot be is no reason for another one.
    static func streamBytes(_ stored: Int64) -> Int {
        Int(min(max(stored, plausible.lowerBound), plausible.upperBound))
    }

    /// No service takes a record of so many bytes.
    private static let largestRecord: Int64 = 1 << 25

    package var discarded: Int { evicted + expired + rejected + exhausted }
}

/// A stream as the store knows it.
package struct StreamSummary: Sendable, Hashable {
    let number: Int64
    let name: StreamName
    /// How many records it had when it was listed.
    var records = 0
    /// What they took.
    var bytes = 0

    package init(number: Int64, name: StreamName, records: Int = 0, bytes: Int = 0) {
        self.number = number
        self.name = name
        self.records = records
        self.bytes = bytes
    }

    /// About what one of its batches takes as a request, in bytes, where its payloads and keys have `limit` at most.
    func batchBytes(limit: Int) -> Int {
        // Damage can leave any number in the counts.
        let (stored, count) = (min(max(bytes, 0), 1 << 40), min(max(records, 1), 1 << 40))
        let inBatch = min(count, 500)
        return max(min(stored, limit, stored / count * inBatch), 0) / 3 * 4 + inBatch * 48
    }
}
