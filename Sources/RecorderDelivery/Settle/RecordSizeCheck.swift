import RecorderAWS
import RecorderStore

/// Whether a refused record is larger than its stream accepts. Pure.
///
/// Every Kinesis stream accepts records of 1 MiB, and more if its maximum was raised. The service names the maximum when it
/// refuses a request, or DescribeStreamSummary does, if the credentials permit that.
struct RecordSizeCheck {
    /// What is known of a refused record.
    struct Result {
        /// The refusal; its message has both sizes if the size explains it.
        let refusal: ServiceFailure
        var finding = Finding.another
    }

    enum Finding {
        /// The cause is another one.
        case another
        /// The record is larger than the stream's maximum.
        case tooLarge
        /// The stream's maximum is not known, and not every stream accepts a record of this size.
        case mayBeTooLarge
    }

    private let stream: StreamName
    /// What every stream accepts, in bytes of payload and partition key.
    let commonMaximum: Int
    /// What DescribeStreamSummary said once it was asked.
    private var described: Int??

    init(_ stream: StreamName, commonMaximum: Int) {
        self.stream = stream
        self.commonMaximum = commonMaximum
    }

    /// The stream's maximum was looked up; nil if the service does not say it.
    mutating func lookedUp(_ maximum: Int?) {
        assert(described == nil, "the service is asked once")
        described = .some(maximum)
    }

    /// Checks a record that was refused in a request of its own; nil if the stream's maximum must be looked up first.
    func check(_ record: BatchedRecord, refusal: ServiceFailure) -> Result? {
        let size = record.sentBytes
        guard refusal.provesInvalidInput, size > commonMaximum else { return Result(refusal: refusal) }
        guard let known = refusal.namedRecordMaximum.map(Optional.some) ?? described else { return nil }
        guard let maximum = known else {
            let text =
                "A record of stream \(stream) is \(size) bytes with its partition key, and a stream accepts \(commonMaximum) "
                + "unless its maximum was raised. The service refused it: \(refusal.message)"
            return Result(refusal: refusal.with(message: text), finding: .mayBeTooLarge)
        }
        guard size > maximum else { return Result(refusal: refusal) }
        let text =
            "A record of stream \(stream) is \(size) bytes with its partition key, and the stream accepts up to \(maximum). "
            + "Raise the stream's maximum record size (UpdateMaxRecordSize), or split such records."
        return Result(refusal: refusal.with(message: text), finding: .tooLarge)
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
}
