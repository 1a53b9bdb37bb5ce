/// What one writes in Swift without a recorder: an actor around a database, a commit for each call.
///
/// With a write-ahead log and `synchronous=FULL`, the fastest that keeps what it acknowledged.
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
