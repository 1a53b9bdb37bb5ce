package import Foundation
package import RecorderSQLite

/// A record as it lies in a store's file.
package struct StoredRecord: Sendable, Hashable {
    package let stream: Int64
    package let sequence: Int64
    package let savedAt: Int64
    /// nil if none was saved.
    package let key: String?
    package let data: Data
    package let failures: Int64
}

extension StoredRecord {
    /// The live records in a store's file, in the order of their saves, as another program would read them.
    package static func all(at path: String) throws -> [StoredRecord] {
        let connection = try SQLiteConnection(path: path, access: .readOnly)
        return try all(in: connection)
    }

    package static func all(in connection: SQLiteConnection) throws -> [StoredRecord] {
        var cursors: [Int64: Int64] = [:]
        let streams = try connection.prepare("SELECT number, cursor FROM stream")
        while try streams.step() { cursors[streams.integer(at: 0)] = streams.integer(at: 1) }
        var records = try blocks(of: "kept", failures: "failures", in: connection)
        let segments = try connection.prepare("SELECT first_sequence FROM segment")
        while try segments.step() {
            let all = try blocks(of: "block_\(segments.integer(at: 0))", failures: "0", in: connection)
            records += all.filter { $0.sequence > cursors[$0.stream] ?? .max }
        }
        return records.sorted { $0.sequence < $1.sequence }
    }

    private static func blocks(of table: String, failures: String, in connection: SQLiteConnection) throws
        -> [StoredRecord]
    {
        let rows = try connection.prepare("SELECT id, saved_at, span, head, data, \(failures) FROM \(table)")
        var records: [StoredRecord] = []
        while try rows.step() {
            var head = Array(rows.bytes(at: 3))[...]
            var data = Data(rows.bytes(at: 4))[...]
            var sequence = rows.integer(at: 0) & 0xFF_FFFF_FFFF - rows.integer(at: 2)
            while !head.isEmpty {
                sequence += Int64(head.popInteger())
                let key = head.popInteger()
                let count = head.popInteger()
                head.removeFirst(4)
                let keyBytes = data.prefix(max(key - 2, 0))
                data.removeFirst(keyBytes.count)
                records.append(
                    StoredRecord(
                        stream: rows.integer(at: 0) >> 40,
                        sequence: sequence,
                        savedAt: rows.integer(at: 1),
                        key: key < 2 ? nil : String(decoding: keyBytes, as: UTF8.self),
                        data: Data(data.prefix(count)),
                        failures: rows.integer(at: 5)
                    )
                )
                data.removeFirst(count)
            }
        }
        return records
    }
}

extension ArraySlice<UInt8> {
    /// Removes a LEB128 number from the start.
    fileprivate mutating func popInteger() -> Int {
        var (value, shift) = (0, 0)
        while let byte = popFirst() {
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { break }
            shift += 7
        }
        return value
    }
}
