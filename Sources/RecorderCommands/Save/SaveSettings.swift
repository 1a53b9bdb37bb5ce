import FoundationEssentials
import LineRecords
import RecorderStore

/// The options of `save`, checked.
struct SaveSettings: Sendable {
    let stream: String
    let partitionKey: String?
    let file: String?
    /// The byte of the file to start at.
    let start: Int
    /// Without a delimiter the whole input is one record.
    let rules: RecordRules
    let submits: Bool
    let policy: RecorderPolicy

    /// What the partition key of a record takes at most.
    let keyBytes: Int

    init(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        let service = session.service
        stream = invocation.arguments[0]
        partitionKey = invocation.value(.partitionKey)
        file = invocation.value(.file)
        start = try invocation.number(.fromByte, from: 0) ?? 0
        var rules = try RecordRules(invocation, service: service)
        let delimiter = rules.delimiter
        if invocation.has(.fromByte), file == nil {
            throw CommandFailure(
                .usage,
                message: "--from-byte \(start): name the file with --file; standard input cannot be read again."
            )
        }
        if start > 0, delimiter == nil {
            throw CommandFailure(
                .usage,
                message: "--from-byte \(start): with --delimiter none the whole file is one record."
            )
        }
        if rules.multilineStart != nil, delimiter == nil {
            throw CommandFailure(
                .usage,
                message:
                    "--multiline-start: with --delimiter none the whole input is one record. Leave out one of them."
            )
        }
        submits = invocation.has(.submit)
        if invocation.has(.pack), invocation.has(.firehose), delimiter != UInt8(ascii: "\n") {
            throw CommandFailure(
                .usage,
                message:
                    "--pack joins records that end with a newline; with --delimiter \(invocation.value(.delimiter) ?? "") there is "
                    + "none. Leave out one of these options."
            )
        }
        var policy = try session.sendingPolicy()
        policy.delimiter = rules.keepsDelimiter ? delimiter : nil
        policy.limits.bytes = try invocation.byteCount(.limit)?.bytes ?? policy.limits.bytes
        policy.limits.age = try invocation.duration(.maximumAge) ?? policy.limits.age
        let largest = service.maximumRecordBytes
        policy.maximumRecordBytes =
            try invocation.byteCount(.maximumRecord, atMost: largest) ?? policy.maximumRecordBytes
        self.policy = policy
        // The key counts for the service, and the lines that do not fit are refused one by one.
        keyBytes = rules.key == nil ? service.keyBytes(for: partitionKey) : RecordRules.longestKeyBytes
        rules.maximumRecordBytes = min(policy.maximumRecordBytes, largest - keyBytes)
        self.rules = rules
        try invocation.checkLimit(of: policy, holds: rules.maximumRecordBytes + keyBytes)
        // Every record has the same stream and key, so one check finds what is wrong with them.
        let (stream, key, region) = (stream, partitionKey, session.access.region)
        _ = try CommandFailure.wrapping(
            try service.record(Data(), stream: stream, partitionKey: key, maximumBytes: 0, region: { region })
        )
    }
}
