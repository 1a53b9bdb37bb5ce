import RecordFormats

/// Which record a partition key names.
///
/// A record that was saved without a partition key is sent with one that says which store saved it and as which record of the
/// stream. It is the same whenever the record is sent, so a consumer can recognize a repeat by the key alone, and a record that
/// is missing by the numbers of the others. ``RecordAccounting`` does both.
///
/// The key is a UUID of version 8 ([RFC 9562](https://www.rfc-editor.org/rfc/rfc9562#section-5.8)) in upper case, as in
/// `5A0C2F9E-71B3-8D44-8000-010000000009`: record 9 of stream 1 in the store `5A0C2F9E71B3D44`.
///
/// ```swift
/// if let identity = AWSRecordIdentity(partitionKey: "5A0C2F9E-71B3-8D44-8000-010000000009") {
///     print(identity.storeID, identity.streamNumber, identity.ordinal)
/// }
/// ```
public struct AWSRecordIdentity: Sendable, Hashable {
    /// The store, a file of records on a device: 15 hexadecimal digits in upper case.
    ///
    /// No two stores have the same: a file gets another one for its next records after each boot of the machine, and if it was
    /// copied, moved, restored or changed by another program, as does the new file after a rescue of a damaged one. It is random,
    /// and says nothing about the device.
    public let storeID: String
    /// The number of the stream in its store, from 1 to 4,194,304. A stream's name and its ARN have different numbers.
    public let streamNumber: Int
    /// The number of the record among those that were saved to this stream without a key, in the order of the saves. The first
    /// one has the number 0, or, in a store that has another identity, the number after the last one under the earlier identity.
    public let ordinal: Int64

    /// Reads a partition key.
    ///
    /// - Parameter partitionKey: the key of a record; of an aggregated record, not that of the Kinesis record it is in. nil for
    ///   any other key: one that was given to `saveRecord`, a random one, or one of another producer. But a UUID of version 8
    ///   that another program made is taken for such a key.
    public init?(partitionKey: String) {
        guard let identity = RecordIdentity(partitionKey: partitionKey) else { return nil }
        storeID = identity.storeID
        streamNumber = Int(identity.stream)
        ordinal = identity.ordinal
    }
}
