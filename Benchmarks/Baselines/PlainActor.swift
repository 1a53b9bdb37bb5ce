/// The obvious Swift solution without a recorder: an actor around a database, one commit per call.
///
/// Uses a write-ahead log with `synchronous=FULL`, the fastest settings that keep every acknowledged record.
actor PlainActor {
    private let log: PlainLog

    init(path: String) {
        log = PlainLog(path: path)
    }

    /// Saves a record, durably.
    func save() {
        log.insertOneByOne(1)
    }
}
