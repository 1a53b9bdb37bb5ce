import FoundationEssentials
import RecordFormats
import RecorderAWS
import SimulatedMachine

/// The body of PutRecords or PutRecordBatch, in JSON read by scanning for the few fields that the product writes.
struct PutRequest {
    /// A record in it. Its data begins with the record's number.
    struct Sent {
        let number: Int
        let data: ArraySlice<UInt8>
        let key: Int
        let keyBytes: Int
        /// The hash key by which consumers find it in a shared entry.
        var hashKey: UInt128 = 0

        init(data: ArraySlice<UInt8>, key: ArraySlice<UInt8>) {
            self.data = data
            self.key = key.isEmpty ? 0 : PutRequest.hash(key)
            keyBytes = key.count
            number = Int(String(decoding: data.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? .max
        }

        func isWhole(_ bytes: Int) -> Bool { data.elementsEqual(Sent.data(number, bytes: bytes)) }

        static func data(_ number: Int, bytes: Int) -> [UInt8] {
            let head = Array("\(number) ".utf8)
            return head + Array(repeating: UInt8(ascii: "a") + UInt8(number % 26), count: max(bytes - head.count, 0))
        }
    }

    /// An entry of it: one record, or several that share it.
    struct Entry {
        var records: [Sent]
        let key: ArraySlice<UInt8>
        let isShared: Bool
    }

    let stream: Int
    let entries: [Entry]

    var records: [Sent] { entries.flatMap(\.records) }

    init(_ body: [UInt8]) {
        let request = CBOR.mayBeMap(body) ? Fields(cbor: body) : Fields(json: body)
        stream = Int(String(decoding: request.stream.dropFirst(), as: UTF8.self)) ?? 0
        entries = request.entries.map { Self.entry($0.data, key: $0.key) }
    }

    /// What a request says.
    private struct Fields {
        var stream: ArraySlice<UInt8> = []
        var entries: [(data: [UInt8], key: ArraySlice<UInt8>)] = []

        init(json body: [UInt8]) {
            var texts: [(name: String, value: ArraySlice<UInt8>)] = []
            var index = 0
            var name = ""
            while let start = body[index...].firstIndex(of: UInt8(ascii: "\"")) {
                guard let end = body[(start + 1)...].firstIndex(of: UInt8(ascii: "\"")) else { break }
                let text = body[(start + 1)..<end]
                index = end + 1
                if index < body.count, body[index] == UInt8(ascii: ":") {
                    name = String(decoding: text, as: UTF8.self)
                } else {
                    texts.append((name, text))
                }
            }
            for text in texts {
                switch text.name {
                case "Data": entries.append(([UInt8](Data(base64Encoded: Data(text.value)) ?? Data()), []))
                case "PartitionKey" where !entries.isEmpty: entries[entries.count - 1].key = text.value
                case let name where name.hasSuffix("StreamName"): stream = text.value
                default: break
                }
            }
        }

        init(cbor body: [UInt8]) {
            var reader = CBORReader(body[...])
            do { try read(body, &reader) } catch { preconditionFailure("a request is not well-formed") }
        }

        private mutating func read(_ body: [UInt8], _ reader: inout CBORReader) throws(CBORReader.NotWellFormed) {
            guard var fields = try reader.beginMap() else { return }
            while try reader.hasNext(in: &fields) {
                let name = body[try reader.textString()]
                guard name.elementsEqual("Records".utf8) else {
                    let value = body[try reader.textString()]
                    if name.suffix(4).elementsEqual("Name".utf8) { stream = value }
                    continue
                }
                guard var records = try reader.beginArray() else { return }
                while try reader.hasNext(in: &records) {
                    guard var record = try reader.beginMap() else { return }
                    entries.append(([], []))
                    while try reader.hasNext(in: &record) {
                        if body[try reader.textString()].count == "Data".utf8.count {
                            entries[entries.count - 1].data = Array(body[try reader.byteString()])
                        } else {
                            entries[entries.count - 1].key = body[try reader.textString()]
                        }
                    }
                }
            }
        }
    }

    private static func entry(_ data: [UInt8], key: ArraySlice<UInt8>) -> Entry {
        if let records = AggregatedEntry.records(in: data) {
            let sent = records.map { record in
                var sent = Sent(data: record.data, key: Array(record.partitionKey.utf8)[...])
                sent.hashKey =
                    record.explicitHashKey.flatMap { UInt128($0) } ?? Shards.hashKey(of: record.partitionKey.utf8)
                return sent
            }
            return Entry(records: sent, key: key, isShared: true)
        }
        let lines = data.split(separator: UInt8(ascii: "\n"))
        return Entry(
            records: lines.map { Sent(data: $0, key: key) },
            key: key,
            isShared: false
        )
    }

    fileprivate static func hash(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(truncatingIfNeeded: bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }
}
