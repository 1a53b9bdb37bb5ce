import RecorderAWS

/// The next records of one stream, oldest first, already written as a request.
///
/// The request is written once, straight from the rows. A retry or a half of a batch is another list of records over
/// the same bytes, copied only when it is sent.
package struct Batch: Sendable {
    package let stream: StreamName
    package var records: [BatchedRecord]
    /// How many records were read.
    let countAsRead: Int
    /// The request of all records as read; the entry of each is in the range that its `entry` names.
    let requestAsRead: [UInt8]
    /// The SHA-256 of that request, for its signature, once it is known.
    private var digestAsRead: [UInt8]?

    init(_ records: [BatchedRecord], of stream: StreamName, request: [UInt8]) {
        self.stream = stream
        self.records = records
        countAsRead = records.count
        requestAsRead = request
    }

    /// The same batch with only some of its records.
    func keeping(_ records: [BatchedRecord]) -> Batch {
        var batch = self
        batch.records = records
        return batch
    }

    /// Computes ahead what takes longest in a signature.
    mutating func digest() {
        digestAsRead = Digest.sha256(requestAsRead)
    }

    /// The SHA-256 of the body of the request that sends it, if it is known.
    var requestDigest: [UInt8]? {
        records.count < countAsRead ? nil : digestAsRead
    }

    /// The body of the request that sends it.
    func request(to service: StreamServiceDescription) -> [UInt8] {
        guard records.count < countAsRead else { return requestAsRead }
        var request = PutRequest(to: stream, service, capacity: requestAsRead.count)
        for record in records { request.append(requestAsRead[record.entry]) }
        return request.finish()
    }
}

/// What the road needs to know of a record in a batch; its content is in the batch's request.
package struct BatchedRecord: Sendable, Hashable {
    package let id: RecordID
    /// The file it was read from; in another one its id may be another record's.
    let file: StoreIdentity
    /// Its place in the batch as it was read: neighbours here are neighbours in the table.
    let position: Int
    /// Failures so far, this flush's included.
    var failures: Int
    /// What it counts for in the store, in bytes.
    let storedBytes: Int
    /// Where its JSON is in the batch's request.
    let entry: Range<Int>
}
