import RecorderAWS

/// Writes the body of PutRecords or PutRecordBatch, record by record, into one buffer.
struct PutRequest {
    private let sendsPartitionKey: Bool
    private var isEmpty = true
    private var bytes: [UInt8]

    /// An empty request; `capacity` is how many bytes to expect, and a good guess saves copies.
    init(
        to stream: StreamName,
        _ service: StreamServiceDescription,
        capacity: Int,
        from buffers: RequestBuffers = RequestBuffers()
    ) {
        sendsPartitionKey = service.sendsPartitionKey
        bytes = buffers.take(capacity)
        // A stream's name needs no escaping: it passed `checkStream`.
        bytes.append(contentsOf: #"{"\#(service.streamField)":"\#(stream)","Records":["#.utf8)
    }

    /// Adds a record straight from a row's bytes, and says where in the body its entry is.
    mutating func append(data: UnsafeRawBufferPointer, partitionKey: UnsafeRawBufferPointer) -> Range<Int> {
        separate()
        let start = bytes.count
        bytes.append(#"{"Data":""#)
        unsafe Base64.append(data, to: &bytes)
        if sendsPartitionKey {
            bytes.append(#"","PartitionKey":""#)
            unsafe JSONText.append(partitionKey, to: &bytes)
        }
        bytes.append(#""}"#)
        return start..<bytes.count
    }

    /// Adds a record as its entry stands in another request.
    mutating func append(_ entry: ArraySlice<UInt8>) {
        separate()
        bytes.append(contentsOf: entry)
    }

    /// The whole body; call it last.
    mutating func finish() -> [UInt8] {
        bytes.append("]}")
        return bytes
    }

    private mutating func separate() {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
    }
}

extension [UInt8] {
    /// Appends text of the program's own. A constant array would be looked up, retained and released for each record.
    fileprivate mutating func append(_ text: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
