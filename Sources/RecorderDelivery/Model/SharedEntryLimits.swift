package import RecorderStore

/// The size of an entry that several records share, in bytes: the default, and what a user may choose.
package struct SharedEntryLimits: Sendable {
    package let standard: Int
    package let range: ClosedRange<Int>

    /// Entries of Kinesis, without their partition keys: the default and the maximum are those of the Kinesis Producer Library.
    /// Smaller entries than the minimum hold no more than a few records.
    package static let aggregated = SharedEntryLimits(standard: 51_200, range: 1_024...1_048_576)

    /// Entries of Firehose, which bills them in steps of 5 KB: the maximum is what it accepts.
    package static let packed = SharedEntryLimits(standard: 5_120, range: 1_024...1_024_000)

    /// The limits of a service.
    package static func of(_ service: StreamServiceDescription) -> SharedEntryLimits {
        service.sendsPartitionKey ? .aggregated : .packed
    }
}
