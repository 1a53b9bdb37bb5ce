package import RecorderAWS
package import RecorderSQLite

/// Everything that can go wrong on a record's road. Closed, so that each façade's mapping must name every case.
package enum RecorderError: Error, Sendable {
    package enum Fault: Sendable, Hashable {
        case noData, dataTooLarge, streamName, partitionKey
    }

    /// The record was refused before it was stored.
    case invalidRecord(Fault, String)
    /// The store's limit leaves no room for the record, and nothing is evicted to make some.
    case storeFull(String)
    /// The store's directory or file cannot be used; the text says what to do.
    case storage(String, SQLiteError?)
    /// The service, or the way to it, failed.
    case service(ServiceFailure)
    /// Nobody said where to send, or as whom.
    case configuration(ConfigurationFailure)
    /// Whoever waited gave up.
    case cancelled

    /// SQLite's extended result code, where it was SQLite that failed.
    package var sqliteCode: Int? {
        if case .storage(_, let error?) = self { Int(error.code) } else { nil }
    }

    /// Whether the service itself said no. Such an error concerns one stream, and says nothing about the others.
    package var isAnswer: Bool {
        guard case .service(let failure) = self else { return false }
        return switch failure.kind {
        case .throttled, .transient, .expiredCredentials, .denied, .clockSkew, .notFound, .invalidRequest, .unreadable,
            .other:
            true
        case .transport, .credentials, .configuration, .redirect, .cancelled: false
        }
    }

    /// Whether the service answered, and its answer leaves open what became of some records.
    package var isUnproven: Bool {
        if case .service(let failure) = self { failure.kind == .unreadable } else { false }
    }

    /// Whether nothing failed but somebody's patience.
    package var isCancellation: Bool {
        if case .cancelled = self { true } else { false }
    }

    var isDiskFull: Bool {
        if case .storage(_, let error?) = self { error.isDiskFull } else { false }
    }

    var isCorrupt: Bool {
        if case .storage(_, let error?) = self { error.isCorrupt } else { false }
    }

    /// What failed and how to mend it.
    package var message: String {
        switch self {
        case .invalidRecord(_, let text), .storeFull(let text), .storage(let text, _): text
        case .service(let failure): failure.message
        case .configuration(let failure): failure.message
        case .cancelled: "The operation was cancelled; the records are kept."
        }
    }
}
