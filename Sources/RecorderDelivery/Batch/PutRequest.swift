import RecorderAWS
import RecorderStore

/// Encodes the body of PutRecords or PutRecordBatch, record by record, into one buffer.
struct PutRequest {
    let format: RequestFormat
    private let sendsPartitionKey: Bool
    private var count = 0
    private var bytes: [UInt8]
    /// Where the list of records starts.
    private let start: Int

    /// An empty request in a buffer.
    init(to stream: StreamName, of service: StreamServiceDescription, in format: RequestFormat, buffer: [UInt8]) {
        self.format = format
        sendsPartitionKey = service.sendsPartitionKey
        bytes = buffer
        let (field, name) = service.member(naming: stream)
        switch format {
        // Neither a name nor an ARN needs escaping: it passed `checkStream`.
        case .json: bytes.append(contentsOf: #"{"\#(field)":"\#(name)","Records":["#.utf8)
        case .cbor:
            CBOR.appendHead(.map, 2, to: &bytes)
            CBOR.appendText(field.utf8, to: &bytes)
            CBOR.appendText(name.utf8, to: &bytes)
            CBOR.appendText("Records".utf8, to: &bytes)
            CBOR.appendArrayHead(to: &bytes)
        }
        start = bytes.count
    }

    /// Appends a record directly from a row's bytes; returns the range of its entry. An empty key is left out.
    mutating func append(data: UnsafeRawBufferPointer, partitionKey: UnsafeRawBufferPointer) -> Range<Int> {
        separate()
        let start = bytes.count
        switch format {
        case .json: unsafe appendJSON(data: data, partitionKey: partitionKey)
        case .cbor: unsafe appendCBOR(data: data, partitionKey: partitionKey)
        }
        return start..<bytes.count
    }

    private mutating func appendJSON(data: UnsafeRawBufferPointer, partitionKey: UnsafeRawBufferPointer) {
        bytes.append(#"{"Data":""#)
        unsafe Base64.append(data, to: &bytes)
        if sendsPartitionKey, unsafe !partitionKey.isEmpty {
            bytes.append(#"","PartitionKey":""#)
            unsafe JSONText.append(partitionKey, to: &bytes)
        }
        bytes.append(#""}"#)
    }

    /// The first bytes of the constants are the heads of a map of one or two pairs and of text of 4 and of 12 bytes.
    private mutating func appendCBOR(data: UnsafeRawBufferPointer, partitionKey: UnsafeRawBufferPointer) {
        bytes.append(unsafe partitionKey.isEmpty ? 0xA1 : 0xA2)
        bytes.append("dData")
        CBOR.appendHead(.bytes, data.count, to: &bytes)
        unsafe bytes.append(contentsOf: data)
        guard unsafe !partitionKey.isEmpty else { return }
        bytes.append("lPartitionKey")
        CBOR.appendHead(.text, partitionKey.count, to: &bytes)
        unsafe bytes.append(contentsOf: partitionKey)
    }

    /// Appends the entry of another request, which was encoded in the same format or in CBOR.
    mutating func append(_ entry: ArraySlice<UInt8>, encodedIn format: RequestFormat) {
        guard format != self.format else {
            separate()
            return bytes.append(contentsOf: entry)
        }
        guard let parts = CBOREntry(entry) else {
            preconditionFailure("an entry that this type encoded is not its own")
        }
        unsafe entry.withUnsafeBytes { buffer in
            _ = unsafe append(
                data: UnsafeRawBufferPointer(rebasing: buffer[parts.data]),
                partitionKey: UnsafeRawBufferPointer(rebasing: buffer[parts.partitionKey])
            )
        }
    }

    /// The complete body; call it last.
    mutating func finish() -> [UInt8] {
        switch format {
        case .json: bytes.append("]}")
        case .cbor: CBOR.setCount(count, ofArrayEndingAt: start, in: &bytes)
        }
        return bytes
    }

    private mutating func separate() {
        if format == .json, count > 0 { bytes.append(UInt8(ascii: ",")) }
        count += 1
    }
}

/// Where data and partition key are in an entry in CBOR, counted from its start.
private struct CBOREntry {
    let data: Range<Int>
    /// Empty if there is no key.
    let partitionKey: Range<Int>

    init?(_ entry: ArraySlice<UInt8>) {
        var reader = CBORReader(entry)
        do {
            guard try reader.beginMap() != nil else { return nil }
            _ = try reader.textString()
            let data = try reader.byteString()
            self.data = data.lowerBound - entry.startIndex..<data.upperBound - entry.startIndex
            guard !reader.isAtEnd else {
                partitionKey = 0..<0
                return
            }
            _ = try reader.textString()
            let partitionKey = try reader.textString()
            self.partitionKey = partitionKey.lowerBound - entry.startIndex..<partitionKey.upperBound - entry.startIndex
        } catch {
            return nil
        }
    }
}

extension [UInt8] {
    /// Appends constant text. An array would be looked up, retained and released for each record.
    fileprivate mutating func append(_ text: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
