import FoundationEssentials
import RecorderEngine
import SimulatedMachine

/// The body of PutRecords or PutRecordBatch, read by scanning for the few fields that the product writes.
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
        stream =
            texts.first { $0.name.hasSuffix("StreamName") }.flatMap {
                Int(String(decoding: $0.value.dropFirst(), as: UTF8.self))
            } ?? 0
        var found: [Entry] = []
        for (position, text) in texts.enumerated() where text.name == "Data" {
            let data = [UInt8](Data(base64Encoded: Data(text.value)) ?? Data())
            let next = position + 1 < texts.count ? texts[position + 1] : nil
            found.append(Self.entry(data, key: next?.name == "PartitionKey" ? next?.value ?? [] : []))
        }
        entries = found
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
