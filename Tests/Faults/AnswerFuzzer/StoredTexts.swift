import RecorderSQLite

/// Reads the texts in a store's file as another program would, in the order of the saves.
package func storedTexts(at path: String) throws -> [String] {
    let connection = try SQLiteConnection(path: path, access: .readOnly)
    let segments = try connection.prepare("SELECT 'record_' || first_sequence FROM segment ORDER BY first_sequence")
    var texts: [String] = []
    while try segments.step() {
        let rows = try connection.prepare(
            """
            SELECT data FROM \(segments.text(at: 0)) JOIN stream ON number = id >> 40
            WHERE id & 0xFFFFFFFFFF > cursor ORDER BY id & 0xFFFFFFFFFF
            """
        )
        while try rows.step() { texts.append(rows.text(at: 0)) }
    }
    return texts
}
