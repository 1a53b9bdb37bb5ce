import RecorderAWS
import RecorderStore

// How a session sends.

extension Session {
    /// The policy of a command that sends to one store.
    func sendingPolicy() throws(CommandFailure) -> RecorderPolicy { try sendingPolicy(for: service, of: [service]) }

    /// The policy for one of the services that a command sends to. Throws for wrong options, before anything is read or opened.
    func sendingPolicy(
        for service: StreamServiceDescription,
        of services: [StreamServiceDescription]
    ) throws(CommandFailure) -> RecorderPolicy {
        var policy = RecorderPolicy.standard
        policy.compressesRequests = invocation.has(.gzip)
        policy.requestFormat = try requestFormat()
        policy.keylessRecords = try keylessRecords()
        policy.sharedEntryBytes = try sharedEntryBytes(for: service, of: services)
        policy.assumesDistributionByKey = invocation.hasChoice(.aggregate)
        policy.keepsRejected = invocation.has(.keepRejected)
        policy.keepsOrder = invocation.has(.ordered)
        policy.streams = selection
        policy.batchByteLimit = try invocation.byteCount(.batchSize, atMost: largestBatch) ?? policy.batchByteLimit
        policy.maximumBytesPerSecond = try invocation.rate()
        policy.requestsPerStream = try invocation.number(.requests, from: 1, to: 64) ?? policy.requestsPerStream
        return policy
    }

    private var largestBatch: Int {
        services.map(\.maximumRequestBytes).max() ?? StreamServiceDescription.kinesis.maximumRequestBytes
    }

    private func keylessRecords() throws(CommandFailure) -> KeylessRecords {
        try invocation.checkExclusion(of: [.omitKeys, .randomKeys])
        if invocation.has(.omitKeys) { return .withoutKeys }
        return invocation.has(.randomKeys) ? .withRandomKeys : .withNumberedKeys
    }

    private func requestFormat() throws(CommandFailure) -> RequestFormat {
        guard invocation.has(.cbor) else { return .json }
        guard !invocation.has(.firehose) || invocation.has(.onlyKinesis) else {
            throw CommandFailure(
                .usage,
                message: "--cbor: Firehose takes only JSON. Leave out this option or --firehose."
            )
        }
        return .cbor
    }
}

extension Invocation {
    fileprivate func rate() throws(CommandFailure) -> Int? {
        guard let rate = try byteCount(.rate)?.bytes else { return nil }
        guard rate >= 1_024 else {
            throw CommandFailure(.usage, message: "--rate \(value(.rate) ?? ""): give at least 1K, bytes in a second.")
        }
        return rate
    }
}
