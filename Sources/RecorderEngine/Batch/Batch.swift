import RecorderAWS

/// The next records of one stream, oldest first, encoded as a request.
///
/// The request is encoded once, directly from the rows. A retry or a half of a batch is another list of records over the same
/// bytes, which are copied only when it is sent.
package struct Batch: Sendable {
    package let stream: StreamName
    package var records: [BatchedRecord]
    /// The number of records that were read.
    private let countAsRead: Int
    /// The request of all records as read; `BatchedRecord.entry` is a range of it.
    let requestAsRead: [UInt8]
    /// How it is encoded.
    let format: RequestFormat
    /// The SHA-256 of that request, for its signature, once it has been computed.
    private var digestAsRead: [UInt8]?

    init(
        _ records: [BatchedRecord],
        of stream: StreamName,
        request: [UInt8],
        format: RequestFormat
    ) {
        self.stream = stream
        self.records = records
        countAsRead = records.count
        requestAsRead = request
        self.format = format
    }

    /// The same batch with some of its records.
    func keeping(_ records: [BatchedRecord]) -> Batch {
        var batch = self
        batch.records = records
        return batch
    }

    private var isWhole: Bool { records.count == countAsRead }

    /// Computes the digest ahead of the request: it takes most of the time of a signature.
    mutating func computeDigest() {
        digestAsRead = Digest.sha256(requestAsRead)
    }

    /// The SHA-256 of the request's body in a format, if it has been computed.
    func requestDigest(in format: RequestFormat) -> [UInt8]? { isWhole && format == self.format ? digestAsRead : nil }

    /// The body of the request that sends it, in the format in which it was read or in JSON.
    func request(to service: StreamServiceDescription, in format: RequestFormat) -> [UInt8] {
        guard !isWhole || format != self.format else { return requestAsRead }
        var buffer: [UInt8] = []
        buffer.reserveCapacity(format == self.format ? requestAsRead.count : Base64.encodedCount(requestAsRead.count))
        var request = PutRequest(to: stream, of: service, in: format, buffer: buffer)
        for record in records { request.append(requestAsRead[record.entry], encodedIn: self.format) }
        return request.finish()
    }

    /// The approximate size of its request, in bytes.
    var requestBytes: Int { isWhole ? requestAsRead.count : records.reduce(0) { $0 + $1.entry.count } }
}

/// Encodes a batch while its records are read.
struct BatchEncoder: RecordEncoder {
    let stream: StreamSummary
    var planner: BatchPlanner
    var request: PutRequest
    /// Whether numbered keys are left out.
    let omitsNumberedKeys: Bool

    init(_ stream: StreamSummary, planner: BatchPlanner, request: PutRequest, omitsNumberedKeys: Bool) {
        self.stream = stream
        self.planner = planner
        self.request = request
        self.omitsNumberedKeys = omitsNumberedKeys
    }

    mutating func append(key: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) -> Range<Int>? {
        guard planner.takes(data.count + key.count) else { return nil }
        return unsafe request.append(data: data, partitionKey: key)
    }

    mutating func finish(_ records: [BatchedRecord]) -> Batch {
        Batch(
            records,
            of: stream.name,
            request: request.finish(),
            format: request.format
        )
    }
}
