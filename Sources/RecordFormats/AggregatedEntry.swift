import Glibc

/// Encodes many records as the data of one entry of a request, in the
/// [aggregation format](https://github.com/awslabs/amazon-kinesis-producer/blob/master/aggregation-format.md) of the Kinesis
/// Producer Library (KPL). Consumers built on the Kinesis Client Library (KCL) read the records in it without any change.
///
/// The data is ``magic``, a protobuf message, and the MD5 of that message:
///
/// | field | number | type |
/// |---|---|---|
/// | table of partition keys | 1 | string, repeated |
/// | table of explicit hash keys | 2 | string, repeated |
/// | records | 3 | message, repeated |
/// | of a record: position of its partition key | 1 | integer |
/// | of a record: position of its explicit hash key | 2 | integer, optional |
/// | of a record: data | 3 | bytes |
/// | of a record: tags, which nothing writes | 4 | message, repeated: a key, field 1, and a value, field 2 |
///
/// The KCL discards a record whose hash key, the explicit one or else the MD5 of its partition key, is not in the shard that
/// the entry came from. So all records have the partition key of their entry, or the hash of that key as an explicit hash key.
package struct AggregatedEntry {
    /// The first bytes of every aggregated entry. They are not valid UTF-8.
    package static let magic: [UInt8] = [0xF3, 0x89, 0x9A, 0xC2]

    /// The numbers of the fields.
    enum Field {
        static let partitionKeys = 1
        static let hashKeys = 2
        static let records = 3
        static let partitionKey = 1
        static let hashKey = 2
        static let data = 3
        static let tags = 4
        static let tagKey = 1
    }

    package var maximumBytes: Int
    /// The parts of the message, in the order in which protobuf's own libraries write them.
    private var partitionKeys: [UInt8] = []
    private let hashKeys: [UInt8]
    private var records: [UInt8] = []
    /// The number of partition keys, and the last of them: mostly that of the next record, too.
    private var keyCount = 0
    private var latestKey: [UInt8] = []

    /// The number of records in it.
    package private(set) var count = 0

    /// An entry without records.
    ///
    /// - Parameters:
    ///   - maximumBytes: the largest size of the encoded entry. Its partition key is not part of that.
    ///   - key: the partition key of the entry if keys of records differ from it: every record gets the hash of this key as its
    ///     explicit hash key. nil if all records have the entry's key. Some records with and others without an explicit hash
    ///     key would not do: AWS's library for Python gives the first hash key of the table to all of them.
    package init(maximumBytes: Int, hashKeyOf key: [UInt8]? = nil) {
        self.maximumBytes = maximumBytes
        var field: [UInt8] = []
        if let hashKey = key.flatMap(Self.hashKey).map(String.init) {
            Protobuf.appendHead(ofBytes: hashKey.utf8.count, field: Field.hashKeys, to: &field)
            field.append(contentsOf: hashKey.utf8)
        }
        hashKeys = field
    }

    /// The size of the encoded entry in bytes.
    package var encodedCount: Int {
        Self.magic.count + partitionKeys.count + hashKeys.count + records.count + Digest.md5Length
    }

    /// Appends a record. Returns false, and changes nothing, if the entry would become too large.
    ///
    /// A partition key is stored once for records that follow each other.
    package mutating func append(data: UnsafeRawBufferPointer, partitionKey: UnsafeRawBufferPointer) -> Bool {
        let isKnown = unsafe keyCount > 0 && partitionKey.hasSameBytes(as: latestKey)
        let index = isKnown ? keyCount - 1 : keyCount
        let keySize = isKnown ? 0 : Protobuf.size(ofBytes: partitionKey.count)
        let hashKeySize = hashKeys.isEmpty ? 0 : Protobuf.size(ofInteger: 0)
        let size = Protobuf.size(ofInteger: index) + hashKeySize + Protobuf.size(ofBytes: data.count)
        guard encodedCount + keySize + Protobuf.size(ofBytes: size) <= maximumBytes else { return false }

        if !isKnown { unsafe add(partitionKey) }
        Protobuf.appendHead(ofBytes: size, field: Field.records, to: &records)
        Protobuf.append(index, field: Field.partitionKey, to: &records)
        if !hashKeys.isEmpty { Protobuf.append(0, field: Field.hashKey, to: &records) }
        Protobuf.appendHead(ofBytes: data.count, field: Field.data, to: &records)
        unsafe records.append(contentsOf: data)
        count += 1
        return true
    }

    private mutating func add(_ key: UnsafeRawBufferPointer) {
        latestKey.removeAll(keepingCapacity: true)
        unsafe latestKey.append(contentsOf: key)
        keyCount += 1
        Protobuf.appendHead(ofBytes: key.count, field: Field.partitionKeys, to: &partitionKeys)
        partitionKeys.append(contentsOf: latestKey)
    }

    /// The data of the entry.
    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encodedCount)
        for part in [Self.magic, partitionKeys, hashKeys, records] { bytes.append(contentsOf: part) }
        guard let checksum = Digest.md5(bytes[Self.magic.count...]) else {
            preconditionFailure("OpenSSL computes no MD5, as `isAvailable` says")
        }
        bytes.append(contentsOf: checksum)
        return bytes
    }

    /// Whether this machine's OpenSSL computes MD5; otherwise records have to be sent one by one.
    package static let isAvailable = Digest.md5([]) != nil

    /// The hash key to which Kinesis maps a partition key: its MD5, as a number.
    package static func hashKey(of key: [UInt8]) -> UInt128? {
        Digest.md5(key[...]).map { md5 in md5.reduce(UInt128.zero) { $0 << 8 | UInt128($1) } }
    }
}

extension UnsafeRawBufferPointer {
    package func hasSameBytes(as bytes: [UInt8]) -> Bool {
        guard let start = baseAddress, !bytes.isEmpty else { return count == bytes.count }
        return unsafe count == bytes.count && memcmp(start, bytes, bytes.count) == 0
    }
}
