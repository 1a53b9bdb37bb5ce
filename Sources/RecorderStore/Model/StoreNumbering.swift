package import RecordFormats

/// What a store says about the records that it saved without a partition key, to explain which of them a stream lacks.
package struct StoreNumbering: Sendable {
    /// What new records are numbered under, as `RecordIdentity.store`; nil before the first one.
    package let store: UInt64?
    /// By number; including streams without records.
    package let streams: [Stream]
    /// What was numbered under earlier stores: the newest ranges.
    package let earlier: [Earlier]

    /// The records of one stream that were numbered under one store, before the file was copied, moved or changed, or the machine
    /// started again.
    package struct Earlier: Sendable, Equatable {
        package let store: UInt64
        package let stream: Int64
        /// From the ordinal of the first record to that of the next one.
        package let ordinals: Range<Int64>
        /// How many of these were delivered under random keys, or without keys.
        package let unnamed: Int
    }

    package struct Stream: Sendable {
        package let number: Int64
        package let name: StreamName
        /// The ordinal of its first record under `store`. Lower ones were given under other stores: the file was copied or moved.
        package let first: Int64
        /// The ordinal of its next record.
        package let next: Int64
        /// How many of these were delivered under random keys, or without keys. Nothing says which they were.
        package let unnamed: Int
        /// The ordinals of records that are in the store now, by the store that they were numbered under.
        package let held: [UInt64: OrdinalRanges]
    }
}
