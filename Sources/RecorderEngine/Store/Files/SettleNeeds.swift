import RecorderSQLite

/// How large a batch may be so that its answer can certainly be settled.
enum BatchRoom: Sendable {
    /// The disk has room for any.
    case any
    /// Space is scarce: no larger than `SettleNeeds` counts with.
    case small
    /// One entry, whose records all leave or all stay: copying those that stay has no room.
    case single

    /// The limit of a request; nil if there is none.
    var largestRequest: StreamLoad? {
        switch self {
        case .any: nil
        case .small: SettleNeeds.largestBatch
        case .single: StreamLoad(entries: 1, bytes: .max)
        }
    }
}

/// What settling an answer, or clearing a store, needs of the disk at most, in pages. Pure.
struct SettleNeeds {
    /// What the database may grow by. Records that stay while later ones of their batch leave are copied.
    let databasePages: Int
    /// What the log must hold besides those.
    private let changedPages: Int

    /// The largest batch on a disk whose space is scarce.
    static let largestBatch = StreamLoad(entries: 256, bytes: 48 * 1_024)
    /// What its records take in the store, in bytes.
    private static let largestBatchStored = 72 * 1_024

    /// `pages` is the size of the database, `bytes` what its records count for.
    init(pages: Int, bytes: Int) {
        // A row may fill half a page, and a table that grows in its middle has pages that are half full.
        databasePages = 8 + 3 * min(bytes, Self.largestBatchStored) / SQLiteConnection.pageSize
        // Totals, streams and segments; a page of each segment that is emptied, and one for each thousand of their pages.
        changedPages = 16 + min(pages / 8, 48) + pages / 256
    }

    /// What the log must have room for, in steps that are seldom exceeded.
    var logPages: Int { (changedPages + databasePages + 15) / 16 * 16 }

    /// The same if no records are copied.
    var fewestLogPages: Int { changedPages }
}
