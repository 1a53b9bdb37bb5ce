/// How many records, and how long, wait to be sent together.
package struct SendBuffer: Sendable, Hashable {
    /// The longest wait.
    package var age: Duration
    /// The numbers of bytes and records that are sent without a wait.
    package var bytes: Int
    package var records: Int

    package init(age: Duration, bytes: Int, records: Int) {
        self.age = age
        self.bytes = bytes
        self.records = records
    }

    /// The smaller limits of two.
    package func merged(with other: SendBuffer) -> SendBuffer {
        SendBuffer(age: min(age, other.age), bytes: min(bytes, other.bytes), records: min(records, other.records))
    }
}
