import RecorderAWS

/// Whether a refused record is larger than its stream accepts.
///
/// Every Kinesis stream accepts records of 1 MiB, and more if its maximum was raised. The service names the maximum when it
/// refuses a request, or DescribeStreamSummary does, if the credentials permit that.
struct RecordSizeCheck {
    /// What is known of a refused record.
    struct Result {
        /// The refusal; its message has both sizes if the size explains it.
        let refusal: ServiceFailure
        /// Whether the record is larger than the stream's maximum.
        var isTooLarge = false
        /// Whether the stream's maximum is not known, and not every stream accepts a record of this size.
        var mayBeTooLarge = false
    }

    private let stream: StreamName
    private let sender: BatchSender
    private var hasAsked = false
    /// The maximum that DescribeStreamSummary gave.
    private var describedMaximum: Int?

    init(_ stream: StreamName, sender: BatchSender) {
        self.stream = stream
        self.sender = sender
    }

    /// Checks a record that was refused in a request of its own. Asks the service at most once.
    mutating func check(_ record: BatchedRecord, refusal: ServiceFailure) async -> Result {
        let size = record.sentBytes
        let common = sender.service.commonRecordBytes
        guard refusal.provesInvalidInput, size > common else { return Result(refusal: refusal) }
        var maximum = refusal.namedRecordMaximum
        if maximum == nil {
            if !hasAsked {
                let settings = await sender.lookups.settings(of: stream, asking: sender)
                describedMaximum = settings?.maximumRecordBytes
            }
            hasAsked = true
            maximum = describedMaximum
        }
        guard let maximum else {
            let text =
                "A record of stream \(stream) is \(size) bytes with its partition key, and a stream accepts \(common) unless "
                + "its maximum was raised. The service refused it: \(refusal.message)"
            return Result(refusal: refusal.with(message: text), mayBeTooLarge: true)
        }
        guard size > maximum else { return Result(refusal: refusal) }
        let text =
            "A record of stream \(stream) is \(size) bytes with its partition key, and the stream accepts up to \(maximum). "
            + "Raise the stream's maximum record size (UpdateMaxRecordSize), or split such records."
        return Result(refusal: refusal.with(message: text), isTooLarge: true)
    }
}

extension ServiceFailure {
    /// The largest length of a record's data, if this refusal names it, as in "Value at 'records.1.member.data' failed to
    /// satisfy constraint: Member must have length less than or equal to 1048576". Lists and keys have limits of that form, too.
    var namedRecordMaximum: Int? {
        guard let field = message.firstRange(of: "data'") else { return nil }
        let rest = message[field.upperBound...]
        guard let limit = rest.firstRange(of: "less than or equal to ") else { return nil }
        return Int(rest[limit.upperBound...].prefix { ("0"..."9").contains($0) })
    }

    /// The same failure with another message.
    func with(message: String) -> ServiceFailure {
        ServiceFailure(
            kind,
            code: code,
            message: message,
            requestID: requestID,
            status: status,
            fields: fields,
            isJSON: isJSON,
            serverDate: serverDate,
            retryAfter: retryAfter
        )
    }
}
