import RecorderAWS
package import RecorderStore

extension PutAnswer {
    init(cbor body: [UInt8], to service: StreamServiceDescription, records: Int) {
        var scanner = CBORAnswerScanner(body, service: service)
        if let outcomes = scanner.outcomes(expecting: records), records == outcomes.count {
            self = .outcomes(outcomes)
        } else {
            self.init(anyCBOR: body, to: service, records: records)
        }
    }

    /// See `shards(_:of:)`.
    static func shards(cbor body: [UInt8], of service: StreamServiceDescription) -> [String] {
        var answer = CBORAnswer(service: service, records: .max)
        do {
            try answer.read(body)
        } catch {
            return []
        }
        return answer.shards
    }

    /// Reads any answer in CBOR by the general reader, with the same result as `init(_:to:records:)`.
    ///
    /// An answer that is cut off, not well-formed or has a field twice says nothing about any record.
    package init(anyCBOR body: [UInt8], to service: StreamServiceDescription, records: Int) {
        var answer = CBORAnswer(service: service, records: records)
        do {
            try answer.read(body)
        } catch {
            self = .unreadable("The service's answer is not a CBOR map (\(body.count) bytes).")
            return
        }
        if let count = answer.count, count == records {
            self = .outcomes(answer.outcomes)
        } else {
            self = .unreadable(
                answer.count.map { Self.wrongCount($0, of: records) }
                    ?? "The service's answer has no \(service.entriesField)."
            )
        }
    }
}

private struct CBORAnswer {
    private let service: StreamServiceDescription
    private let records: Int
    /// The number of entries; nil without a list of them.
    private(set) var count: Int?
    /// Those of the first `records` entries.
    private(set) var outcomes: [Outcome] = []
    /// Those of all entries.
    private(set) var shards: [String] = []

    init(service: StreamServiceDescription, records: Int) {
        self.service = service
        self.records = records
    }

    mutating func read(_ body: [UInt8]) throws(CBORReader.NotWellFormed) {
        var reader = CBORReader(body[...])
        guard var members = try reader.beginMap() else { throw CBORReader.NotWellFormed() }
        var hasEntries = false
        while try reader.hasNext(in: &members) {
            guard try reader.value() == .text(service.entriesField) else {
                try reader.skip()
                continue
            }
            guard !hasEntries else { throw CBORReader.NotWellFormed() }
            hasEntries = true
            if var entries = try reader.beginArray() {
                count = try readEntries(&entries, from: &reader)
            } else {
                try reader.skip()
            }
        }
        guard reader.isAtEnd else { throw CBORReader.NotWellFormed() }
    }

    private mutating func readEntries(
        _ entries: inout CBORReader.Container,
        from reader: inout CBORReader
    ) throws(CBORReader.NotWellFormed) -> Int {
        var count = 0
        while try reader.hasNext(in: &entries) {
            let outcome = try outcome(from: &reader)
            if count < records { outcomes.append(outcome) }
            count += 1
        }
        return count
    }

    private mutating func outcome(from reader: inout CBORReader) throws(CBORReader.NotWellFormed) -> Outcome {
        shards.append("")
        guard var members = try reader.beginMap() else {
            try reader.skip()
            return .unproven
        }
        var fields: [String: CBORReader.Value] = [:]
        while try reader.hasNext(in: &members) {
            let key = try reader.value()
            let value = try reader.value()
            if key == .text(PutAnswer.shardField), case .text(let shard) = value { shards[shards.count - 1] = shard }
            guard case .text(let name) = key, [service.proofField, "ErrorCode", "ErrorMessage"].contains(name) else {
                continue
            }
            guard fields.updateValue(value, forKey: name) == nil else { throw CBORReader.NotWellFormed() }
        }
        switch fields["ErrorCode"] {
        case nil, .null, .text(""): break
        case .text(let code):
            if case .text(let message) = fields["ErrorMessage"] { return Outcome(code: code, message: message) }
            return Outcome(code: code, message: "")
        // There is a code, in an unknown form.
        case .other: return .unproven
        }
        if case .text(let proof) = fields[service.proofField], !proof.isEmpty { return .delivered }
        return .unproven
    }
}
