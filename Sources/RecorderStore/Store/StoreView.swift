import RecorderSQLite

/// What commands show of a store. One of this user is opened as programs open it, which rescues it if needed; one of another
/// user, or one that cannot be written, is only read.
package struct StoreView {
    private enum Source {
        case own(RecordStore)
        case foreign(ReadOnlyStore)
    }

    private let source: Source

    /// Opens a file that exists.
    package init(at location: StoreLocation) throws(RecorderError) {
        let path = try StoreDirectory.resolve(location).path
        source =
            StoreFiles.areWritable(path)
            ? .own(RecordStore(at: { location })) : .foreign(try ReadOnlyStore(at: location))
    }

    package func totals() throws(RecorderError) -> StoreTotals {
        switch source {
        case .own(let store): try store.totals()
        case .foreign(let store): try store.perform(try store.reader().totals())
        }
    }

    package func status() throws(RecorderError) -> StoreStatus {
        switch source {
        case .own(let store): try store.status()
        case .foreign(let store): try store.perform(try store.reader().status(.system))
        }
    }

    package func numbering() throws(RecorderError) -> StoreNumbering {
        switch source {
        case .own(let store): try store.numbering()
        case .foreign(let store): try store.perform(try store.reader().numbering())
        }
    }
}
