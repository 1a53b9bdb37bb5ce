/// A number of records, and what they take in the store, in bytes.
package struct RecordAmount: Sendable, Hashable {
    package var records = 0
    package var bytes = 0

    package init(records: Int = 0, bytes: Int = 0) {
        self.records = records
        self.bytes = bytes
    }

    /// The bytes of their payloads and partition keys.
    var contentBytes: Int { bytes - records * Record.overhead }

    static func += (sum: inout RecordAmount, other: RecordAmount) {
        sum.records += other.records
        sum.bytes += other.bytes
    }
}
