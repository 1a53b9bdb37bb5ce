import RecorderAWS
import RecorderStore

/// Reads the batches of one stream, one after the other.
struct BatchSource {
    private let stream: StreamSummary
    private let end: Int64
    private let store: RecordStore
    private let service: StreamServiceDescription
    private let planner: BatchPlanner
    private let buffers: RequestBuffers
    private let format: @Sendable () -> RequestFormat
    private let mayShare: @Sendable () async -> Bool
    private let computesDigests: Bool
    private let rules: BatchRules
    private var position: RecordID?
    /// Records up to this one are sent in entries of their own, because a shared one with some of them was refused.
    private var separateThrough: RecordID?
    private var refusals = 0
    private var batchesLeft: Int
    private var isAtEnd = false

    /// The records of a stream whose sequences are below `end`. `format` and `mayShare`, whether records may share
    /// entries, are asked before each batch.
    init(
        _ stream: StreamSummary,
        before end: Int64,
        in store: RecordStore,
        service: StreamServiceDescription,
        policy: RecorderPolicy,
        buffers: RequestBuffers,
        format: @escaping @Sendable () -> RequestFormat,
        mayShare: @escaping @Sendable () async -> Bool
    ) {
        self.stream = stream
        self.end = end
        self.store = store
        self.service = service
        self.buffers = buffers
        self.format = format
        self.mayShare = mayShare
        planner = BatchPlanner(service, batchByteLimit: policy.batchByteLimit)
        computesDigests = !policy.compressesRequests
        rules = BatchRules(policy, service: service)
        batchesLeft = policy.batchesPerStream ?? .max
    }

    /// After so many refused entries, no more are shared: what is refused is not a single record.
    private static let mostRefusals = 3

    /// Begins again with the records that are left from `first` on; those of a batch get entries of their own. Older ones that
    /// stay have had their attempt.
    mutating func restartWithoutSharing(_ refused: Batch, from first: RecordID?) {
        refusals += 1
        if let last = refused.records.last?.id, refusals < Self.mostRefusals {
            separateThrough = max(separateThrough ?? last, last)
        } else {
            separateThrough = RecordID(lastOf: stream.number)
        }
        position = first?.previous
        isAtEnd = false
        batchesLeft = max(batchesLeft, 1)
    }

    /// Where the records of the next batch are.
    var nextRange: ClosedRange<RecordID> {
        (position?.next ?? RecordID(stream: stream.number, sequence: 0))...RecordID(lastOf: stream.number)
    }

    /// How the records after `position` become entries.
    private func currentRules() async -> BatchRules {
        var rules = rules
        let isSeparate = separateThrough.map { end in position.map { $0 < end } ?? true } ?? false
        if await !mayShare() || isSeparate { rules.sharedEntryBytes = nil }
        return rules
    }

    /// The next batch; each record is read once.
    mutating func next() async throws(RecorderError) -> Batch? {
        guard batchesLeft > 0, !isAtEnd else { return nil }
        // As much as it will need, or a little more: growing the buffer would copy it.
        let format = format()
        let rules = await currentRules()
        let capacity = stream.batchBytes(
            limit: planner.maximumBytes,
            format: format,
            sharesEntries: rules.sharedEntryBytes != nil
        )
        if position != nil { MallocTrim.run(after: capacity) }
        let query = RecordQuery(
            stream: stream,
            position: position,
            end: end,
            maximumRecords: planner.maximumRecords
        ) { [stream, service, planner, rules, buffers, format] in
            BatchEncoder(
                stream,
                of: service,
                planner: planner,
                rules: rules,
                request: PutRequest(to: stream.name, of: service, in: format, buffer: buffers.take(capacity: capacity))
            )
        }
        var batch = try await store.read(query)
        // Usually while the previous request is in flight.
        if computesDigests { batch?.computeDigest() }
        position = batch?.records.last?.id
        isAtEnd = batch == nil
        if !isAtEnd { batchesLeft -= 1 }
        return batch
    }
}
