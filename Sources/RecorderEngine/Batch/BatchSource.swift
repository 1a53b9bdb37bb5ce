import RecorderAWS

/// Reads the batches of one stream, one after the other.
struct BatchSource {
    private let stream: StreamSummary
    private let end: Int64
    private let store: RecordStore
    private let service: StreamServiceDescription
    private let planner: BatchPlanner
    private let buffers: RequestBuffers
    private let format: @Sendable () -> RequestFormat
    private let computesDigests: Bool
    private var rules: BatchRules
    private var position: RecordID?
    private var batchesLeft: Int

    /// The records of a stream whose sequences are below `end`. `format` is asked before each batch.
    init(
        _ stream: StreamSummary,
        before end: Int64,
        in store: RecordStore,
        service: StreamServiceDescription,
        policy: RecorderPolicy,
        buffers: RequestBuffers,
        format: @escaping @Sendable () -> RequestFormat
    ) {
        self.stream = stream
        self.end = end
        self.store = store
        self.service = service
        self.buffers = buffers
        self.format = format
        planner = BatchPlanner(service, batchByteLimit: policy.batchByteLimit)
        computesDigests = !policy.compressesRequests
        rules = BatchRules(policy, service: service)
        batchesLeft = policy.batchesPerStream ?? .max
    }

    /// Begins again with the oldest record that is left, each in an entry of its own.
    mutating func restartWithoutSharing() {
        rules.sharedEntryBytes = nil
        position = nil
        batchesLeft = max(batchesLeft, 1)
    }

    /// The next batch; each record is read once.
    mutating func next() async throws(RecorderError) -> Batch? {
        guard batchesLeft > 0 else { return nil }
        // As much as it will need, or a little more: growing the buffer would copy it.
        let format = format()
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
        batchesLeft = batch == nil ? 0 : batchesLeft - 1
        return batch
    }
}
