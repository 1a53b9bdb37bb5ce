import Foundation
import RecorderEngine

/// What `save` was asked for, checked.
struct SaveSettings: Sendable {
    let stream: String
    let partitionKey: String?
    let file: String?
    /// Where in the file to begin.
    let start: Int
    /// nil where the whole input is one record.
    let delimiter: UInt8?
    let keepsDelimiter: Bool
    let submits: Bool
    let policy: RecorderPolicy

    init(_ session: Session) throws(CommandFailure) {
        let invocation = session.invocation
        let service = session.service
        stream = invocation.arguments[0]
        partitionKey = invocation.value(.partitionKey)
        file = invocation.value(.file)
        start = try session.number(.fromByte, atLeast: 0) ?? 0
        delimiter = try Self.delimiter(invocation.value(.delimiter) ?? "\\n")
        if invocation.has(.fromByte), file == nil {
            throw CommandFailure(
                .usage,
                "--from-byte \(start): name the file with --file; a pipe has no beginning to go back to."
            )
        }
        if start > 0, delimiter == nil {
            throw CommandFailure(.usage, "--from-byte \(start): with --delimiter none the whole file is one record.")
        }
        keepsDelimiter = invocation.has(.keepDelimiter) || invocation.has(.firehose)
        submits = invocation.has(.submit)
        if partitionKey != nil, !service.sendsPartitionKey {
            throw CommandFailure(.usage, "--partition-key: Firehose has none. Leave it out, or --firehose.")
        }
        var policy = try session.sendingPolicy()
        policy.delimiter = keepsDelimiter ? delimiter : nil
        policy.limits.bytes = try Self.bytes(invocation.value(.limit)) ?? policy.limits.bytes
        policy.limits.age = try Self.age(invocation.value(.maximumAge)) ?? policy.limits.age
        self.policy = policy
        // The stream's name and the key are the same for all, so their errors are too.
        let (stream, key) = (stream, partitionKey)
        _ = try CommandFailure.naming { () throws(RecorderError) in
            try service.record(Data(), stream: stream, partitionKey: key, maximumBytes: 0)
        }
    }

    private static func delimiter(_ text: String) throws(CommandFailure) -> UInt8? {
        switch text {
        case "none": return nil
        case "\\n": return UInt8(ascii: "\n")
        case "\\r": return UInt8(ascii: "\r")
        case "\\t": return UInt8(ascii: "\t")
        case "\\0": return 0
        default:
            if text.hasPrefix("\\x"), text.count == 4, text.dropFirst(2).allSatisfy(\.isHexDigit),
                let byte = UInt8(text.dropFirst(2), radix: 16)
            {
                return byte
            }
            guard text.utf8.count == 1, let byte = text.utf8.first else {
                throw CommandFailure(
                    .usage,
                    "--delimiter \(text): give one ASCII character, \\n, \\r, \\t, \\0, \\xHH or none."
                )
            }
            return byte
        }
    }

    private static func bytes(_ text: String?) throws(CommandFailure) -> Int? {
        guard let text else { return nil }
        guard let bytes = Formatting.parseBytes(text) else {
            throw CommandFailure(
                .usage,
                "--limit \(text): give bytes, or as in 500K, 20M, 2G, at most 16T; 0 for no limit."
            )
        }
        return bytes
    }

    private static func age(_ text: String?) throws(CommandFailure) -> Duration? {
        guard let text else { return nil }
        guard let age = Formatting.parseDuration(text) else {
            throw CommandFailure(
                .usage,
                "--max-age \(text): give seconds, or as in 90s, 15m, 12h, 7d, at most 36500d; 0 for none."
            )
        }
        return age
    }
}
