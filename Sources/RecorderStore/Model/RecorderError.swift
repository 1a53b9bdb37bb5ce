package import RecorderAWS
package import RecorderConcurrency
import RecorderHTTP
package import RecorderSQLite

/// Every error of the engine. A closed enum, so that each public API's mapping has to handle every case.
package enum RecorderError: Error, Sendable {
    package enum Fault: Sendable, Hashable {
        case noData, dataTooLarge, streamName, partitionKey
    }

    /// The record was refused before it was stored.
    case invalidRecord(Fault, String)
    /// The store is full, and its limits refuse new records instead of evicting old ones.
    case storeFull(String)
    /// The store's directory or file cannot be used; the text says what to do.
    case storage(String, SQLiteError?)
    /// The service or the network failed.
    case service(ServiceFailure)
    /// The region, the endpoint or the credentials are not configured, or cannot be used.
    case configuration(ConfigurationFailure)
    /// The system gives no thread that would do the work; nothing was changed.
    case noThread(ThreadShortage)
    /// The caller cancelled.
    case cancelled

    /// SQLite's extended result code, if the error came from SQLite.
    package var sqliteCode: Int? {
        sqliteError.map { Int($0.code) }
    }

    private var sqliteError: SQLiteError? {
        if case .storage(_, let error) = self { error } else { nil }
    }

    /// Whether the service itself answered with an error. Such an error concerns one stream and says nothing about others.
    package var isAnswer: Bool {
        guard case .service(let failure) = self else { return false }
        return switch failure.kind {
        case .throttled, .transient, .expiredCredentials, .denied, .clockSkew, .notFound, .invalidRequest, .unreadable,
            .other:
            true
        case .transport, .credentials, .configuration, .redirect, .cancelled: false
        }
    }

    /// Whether every stream would fail for the same reason: the service's host, or the proxy, cannot be reached, or there are no
    /// valid credentials.
    package var concernsAllStreams: Bool {
        guard case .service(let failure) = self else { return false }
        return switch failure.kind {
        case .transport(let cause): [.nameNotResolved, .cannotConnect].contains(cause.kind)
        case .credentials, .expiredCredentials: true
        default: false
        }
    }

    /// Whether it lasts until a person changes something: a stream, a permission, a setting.
    package var lasts: Bool {
        switch self {
        case .configuration(let failure): !failure.isTemporary
        case .service(let failure):
            switch failure.kind {
            case .configuration(let failure): !failure.isTemporary
            case .expiredCredentials, .denied, .clockSkew, .notFound, .invalidRequest, .redirect: true
            case .transport, .throttled, .transient, .credentials, .unreadable, .cancelled, .other: false
            }
        case .invalidRecord, .storeFull, .storage, .noThread, .cancelled: false
        }
    }

    /// Whether there was no answer in time.
    package var isTimeout: Bool {
        guard case .service(let failure) = self, case .transport(let cause) = failure.kind else { return false }
        return cause.kind == .timedOut
    }

    /// Whether the service answered without saying what happened to some records.
    package var isUnproven: Bool {
        if case .service(let failure) = self { failure.kind == .unreadable } else { false }
    }

    /// How much a flush's caller must know it. What kept records from being sent, or their answers from being settled, outweighs
    /// what the service answered.
    package var weight: Int {
        if !isAnswer { return isCancellation ? 2 : 3 }
        return isUnproven ? 1 : 0
    }

    /// Whether the caller cancelled and nothing else failed.
    package var isCancellation: Bool {
        if case .cancelled = self { true } else { false }
    }

    package var isDiskFull: Bool { sqliteError?.isDiskFull ?? false }

    var isReadOnly: Bool { sqliteError?.isReadOnly ?? false }

    package var isCorrupt: Bool { sqliteError?.isCorrupt ?? false }

    var isShortRead: Bool { sqliteError?.isShortRead ?? false }

    /// Whether a fault of the program is the likely cause, see `SQLiteError.isInternal`.
    package var isInternal: Bool { sqliteError?.isInternal ?? false }

    /// What failed and how to fix it.
    package var message: String {
        switch self {
        case .invalidRecord(_, let text), .storeFull(let text), .storage(let text, _): text
        case .service(let failure): failure.message
        case .configuration(let failure): failure.message
        case .noThread(let shortage): shortage.message
        case .cancelled: "The operation was cancelled; the records are kept."
        }
    }
}
