import RecorderTestSupport

/// The texts in a store's file, in the order of the saves.
package func storedTexts(at path: String) throws -> [String] {
    try StoredRecord.all(at: path).map { String(decoding: $0.data, as: UTF8.self) }
}
