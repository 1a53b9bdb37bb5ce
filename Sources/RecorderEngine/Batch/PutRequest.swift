import RecorderAWS

/// Encodes the body of PutRecords or PutRecordBatch, record by record, into one buffer.
struct PutRequest {
    private let sendsPartitionKey: Bool
    private var isEmpty = true
    private var bytes: [UInt8]

    /// An empty request in a buffer.
    init(to stream: StreamName, of service: StreamServiceDescription, buffer: [UInt8]) {
        sendsPartitionKey = service.sendsPartitionKey
        bytes = buffer
        // A stream's name needs no escaping: it passed `checkStream`.
        bytes.append(contentsOf: #"{"\#(service.streamField)":"\#(stream)","Records":["#.utf8)
    }

    /// Appends a record directly from a row's bytes; returns the range of its entry.
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

    /// Appends the entry of another request.
    mutating func append(_ entry: ArraySlice<UInt8>) {
        separate()
        bytes.append(contentsOf: entry)
    }

    /// The complete body; call it last.
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
    /// Appends constant text. An array would be looked up, retained and released for each record.
    fileprivate mutating func append(_ text: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
