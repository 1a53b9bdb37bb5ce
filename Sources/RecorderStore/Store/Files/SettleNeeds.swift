import RecorderSQLite

/// How large a request may be so that its answer can certainly be settled.
package enum BatchRoom: Sendable, Equatable {
    /// The disk has room for any.
    case any
    /// Space is scarce: this is what there is room for. At least one entry, whose records all leave or all stay, so that none of
    /// them is copied.
    case upTo(StreamLoad)

    static let single = BatchRoom.upTo(StreamLoad(entries: 1, bytes: .max))

    /// The limit of a request; nil if there is none.
    package var largestRequest: StreamLoad? {
        guard case .upTo(let load) = self else { return nil }
        assert(load.entries > 0, "a request has an entry")
        return load
    }
}

/// What settling an answer, or clearing a store, needs of the disk at most, in pages. Pure.
struct SettleNeeds {
    /// The size of the database, with what it may grow by. Records that stay while later ones of their batch leave are copied.
    let wholeDatabasePages: Int
    /// What the log must have room for, in steps that are seldom exceeded.
    let logPages: Int

    /// The largest batch on a disk whose space is scarce.
    static let largestBatch = StreamLoad(entries: 256, bytes: 48 * 1_024)
    /// What its records take in the store, in bytes.
    private static let largestBatchStored = 72 * 1_024
    /// What the log must have room for if a record leaves and none is copied: the header, meta, totals, stream, segment, the
    /// table that is emptied with it, and its free pages.
    static let fewestLogPages = 24
    /// The same with room for some copies, if it has to be taken from the reserve.
    static let scarceLogPages = 40
    /// A full page has that many rows of streams with long names, or more.
    private static let streamsPerPage = 16

    /// `pages` is the size of the database, `bytes` what its records count for, `streams` the number of their rows.
    init(pages: Int, bytes: Int, streams: Int) {
        let databasePages = Self.pages(copying: min(bytes, Self.largestBatchStored))
        wholeDatabasePages = pages + databasePages
        // Totals and segments; a page of each segment that is emptied, and one for each thousand of their pages; every stream's row
        // if the store is cleared.
        let changed = 16 + min(pages / 8, 48) + pages / 256 + streams / Self.streamsPerPage
        logPages = (changed + databasePages + 15) / 16 * 16
        assert(logPages >= Self.fewestLogPages + Self.pages(copying: 0), "what is allocated is enough for one record")
    }

    /// A row may fill half a page, and a table that grows in its middle has pages that are half full.
    private static func pages(copying bytes: Int) -> Int { 8 + 3 * bytes / SQLiteConnection.pageSize }

    /// How large batches may be where the database has room for so many pages more, and the log for so many.
    static func room(databasePages: Int, logPages: Int) -> BatchRoom {
        let copied = min(databasePages, logPages - fewestLogPages) - pages(copying: 0)
        guard copied > 0 else { return .single }
        let share = min(Double(copied * SQLiteConnection.pageSize / 3) / Double(largestBatchStored), 1)
        return .upTo(
            StreamLoad(
                entries: max(Int(Double(largestBatch.entries) * share), 1),
                bytes: Int(Double(largestBatch.bytes) * share)
            )
        )
    }
}
