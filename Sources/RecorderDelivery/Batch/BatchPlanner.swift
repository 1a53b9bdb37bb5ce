package import RecorderStore

/// Decides where a batch ends: by the service's limits of records and bytes, and by the user's limit of bytes. A batch has at
/// least one record.
package struct BatchPlanner {
    let maximumRecords: Int
    let maximumBytes: Int

    private(set) var records = 0
    private(set) var bytes = 0

    package init(maximumRecords: Int, maximumBytes: Int) {
        self.maximumRecords = maximumRecords
        self.maximumBytes = maximumBytes
    }

    package init(_ service: StreamServiceDescription, batchByteLimit: Int) {
        self.init(
            maximumRecords: service.maximumRequestRecords,
            maximumBytes: min(batchByteLimit, service.maximumRequestBytes)
        )
    }

    /// How many bytes more fit.
    var bytesLeft: Int { max(maximumBytes - bytes, 0) }

    /// Counts bytes that were added to an entry.
    mutating func grow(by bytes: Int) {
        self.bytes += bytes
    }

    /// Whether the next entry fits; if it does, it is counted. Its size is that of payload and partition key in bytes, before
    /// base64, as the services count it.
    package mutating func takes(_ size: Int) -> Bool {
        guard records == 0 || (records < maximumRecords && bytes + size <= maximumBytes) else { return false }
        records += 1
        bytes += size
        return true
    }
}
