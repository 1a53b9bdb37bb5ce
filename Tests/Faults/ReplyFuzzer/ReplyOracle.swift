import Foundation
package import RecorderEngine

/// What an answer allows to be said of each record, read with JSONSerialization and apart from the engine.
///
/// It judges any way of reading answers: a record may leave the store only if its own entry allows it here.
package struct ReplyOracle {
    /// Whether each record's own entry proves delivery: a proof, and no code.
    private let isProven: [Bool]
    /// Whether each record's own entry calls the record invalid.
    private let isRejected: [Bool]

    /// The only codes that may cost a record, whatever follows, and words of codes that never do.
    private static var invalid: Regex<Substring> {
        /^(?:(?:Invalid(?:Argument|Record|Data)|Validation|Serialization|Malformed)|.*TooLarge)/
    }
    private static var aboutSender: Regex<Substring> {
        /KMS|Key|Token|Signature|Permission|Access|Denied|Polic|Credential/
    }

    /// Nil if the answer is not one of that many entries.
    package init?(_ body: [UInt8], _ service: StreamServiceDescription, records: Int) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            let entries = object[service.entriesField] as? [Any], entries.count == records
        else { return nil }
        let fields = entries.map { $0 as? [String: Any] ?? [:] }
        isProven = fields.map { entry in
            let code = entry["ErrorCode"]
            let hasCode = !(code == nil || code is NSNull || code as? String == "")
            return !hasCode && (entry[service.proofField] as? String)?.isEmpty == false
        }
        isRejected = fields.map { entry in
            let code = entry["ErrorCode"] as? String ?? ""
            let isInvalid = try? Self.invalid.firstMatch(in: code) != nil
            let isAboutSender = try? Self.aboutSender.firstMatch(in: code) != nil
            return isInvalid == true && isAboutSender == false
        }
    }

    /// The first thing that a reading says without this answer's permission; nil if there is none.
    package static func objection(
        to reply: PutReply,
        for body: [UInt8],
        _ service: StreamServiceDescription,
        records: Int
    ) -> String? {
        guard case .outcomes(let outcomes) = reply else { return nil }
        guard outcomes.count == records else { return "\(outcomes.count) outcomes for \(records) records" }
        let oracle = ReplyOracle(body, service, records: records)
        for (index, outcome) in outcomes.enumerated() {
            switch outcome {
            case .delivered where oracle?.isProven[index] != true:
                return "record \(index) of \(records) is called delivered"
            case .rejected where oracle?.isRejected[index] != true:
                return "record \(index) of \(records) is called invalid"
            default: continue
            }
        }
        return nil
    }

    /// The records that this answer allows to leave the store, by their place.
    package var mayLeave: [Int] { isProven.indices.filter { isProven[$0] || isRejected[$0] } }
}
