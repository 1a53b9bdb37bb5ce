import Foundation
import RecorderAWS
package import RecorderDelivery
package import RecorderStore
import RecorderTestSupport

/// What an answer allows the engine to conclude about each record, parsed with JSONSerialization or `CBORTree`, independently
/// of the engine.
///
/// It checks any parser of answers: a record may leave the store only if its own entry allows that here.
package struct AnswerOracle {
    /// Whether each record's own entry proves delivery: it has the proof field and no error code.
    let isProven: [Bool]
    /// Whether each record's own entry calls the record invalid.
    let isRejected: [Bool]

    /// The prefixes of the only error codes that may discard a record, and words that no such code contains.
    private static var invalid: Regex<Substring> {
        /^(?:(?:Invalid(?:Argument|Record|Data)|Validation|Serialization|Malformed)|.*TooLarge)/
    }
    private static var aboutSender: Regex<Substring> {
        /KMS|Key|Token|Signature|Permission|Access|Denied|Polic|Credential/
    }

    /// Nil if the answer does not have exactly that many entries.
    package init?(_ body: [UInt8], _ service: StreamServiceDescription, records: Int) {
        guard
            let object = CBORTree.object(body)
                ?? (try? JSONSerialization.jsonObject(with: Self.withoutMarks(body)) as? [String: Any]),
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

    /// The body with another character for each byte order mark in it: JSONSerialization leaves out one at the start of a key, so
    /// that the key would be another one.
    private static func withoutMarks(_ body: [UInt8]) -> Data {
        var data = Data(body)
        var start = min(1, data.count)
        while let mark = data.range(of: Data([0xEF, 0xBB, 0xBF]), in: start..<data.count) {
            data.replaceSubrange(mark, with: Array("☃".utf8))
            start = mark.upperBound
        }
        return data
    }

    /// The first conclusion in `answer` that the body does not allow, or that the general reader of CBOR does not reach; nil if
    /// there is none.
    package static func violation(
        in answer: PutAnswer,
        for body: [UInt8],
        _ service: StreamServiceDescription,
        records: Int
    ) -> String? {
        if CBOR.mayBeMap(body) {
            let general = PutAnswer(anyCBOR: body, to: service, records: records)
            guard general == answer else { return "the scanner reads \(answer), and the general reader \(general)" }
        }
        guard case .outcomes(let outcomes) = answer else { return nil }
        guard outcomes.count == records else { return "\(outcomes.count) outcomes for \(records) records" }
        let oracle = AnswerOracle(body, service, records: records)
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

    /// The indices of the records that this answer allows to leave the store.
    package var mayLeave: [Int] { isProven.indices.filter { isProven[$0] || isRejected[$0] } }
}
