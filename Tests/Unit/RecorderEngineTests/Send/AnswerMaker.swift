import Foundation
import RecorderDelivery
import RecorderStore
import RecorderTestSupport

/// Makes answers of known meaning in the many forms that JSON allows, or in CBOR, and corrupts them.
struct AnswerMaker {
    struct Made {
        var body: [UInt8]
        /// The expected outcomes; nil for a corrupted body, which the oracle judges.
        var outcomes: [Outcome]?
        var service: StreamServiceDescription
        var records: Int
        var isCBOR = false
    }

    private var dice: Dice

    init(seed: UInt64) {
        dice = Dice(seed: seed)
    }

    /// Makes a valid answer for a random number of records.
    mutating func make() -> Made {
        let service = dice.once(in: 2) ? StreamServiceDescription.kinesis : .firehose
        return make(service, records: dice.once(in: 200) ? 500 : 1 + dice.roll(6))
    }

    /// The same answer in CBOR, with or without lengths.
    mutating func cbor(_ valid: Made) -> Made {
        var made = valid
        guard let object = try? JSONSerialization.jsonObject(with: Data(valid.body)) else { return valid }
        made.body = CBORTree.document(object, indefinite: dice.once(in: 2))
        if dice.once(in: 8) { made.body.insert(contentsOf: [0xD9, 0xD9, 0xF7], at: 0) }
        made.isCBOR = true
        return made
    }

    /// A valid answer.
    mutating func make(_ service: StreamServiceDescription, records: Int) -> Made {
        let entries = (0..<records).map { _ in entry(service) }
        var members = [#""\#(service.entriesField)"\#(gap):\#(gap)[\#(list(entries.map(\.text)))]"#]
        if !dice.once(in: 4) { members.append(#""\#(dice.pick(Self.counters))":\#(dice.pick(Self.values))"#) }
        if dice.once(in: 4) { members.append(#""EncryptionType":"NONE""#) }
        dice.shuffle(&members)
        return Made(
            body: Array("\(gap){\(list(members))}\(gap)".utf8),
            outcomes: entries.map(\.outcome),
            service: service,
            records: records
        )
    }

    // MARK: entries

    private mutating func entry(_ service: StreamServiceDescription) -> (text: String, outcome: Outcome) {
        let proof = "4\(dice.roll(1_000_000))"
        let message = dice.pick(Self.messages)
        let code = dice.pick(Self.codes)
        var fields: [String] = []
        let outcome: Outcome
        switch dice.roll(8) {
        case 0:
            fields = [#""ErrorCode"\#(gap):\#(gap)"\#(code)""#, #""ErrorMessage":"\#(message.json)""#]
            outcome = Self.outcome(code, message.text)
        case 1:
            fields = [#""\#(service.proofField)":"\#(proof)""#, #""ErrorCode":"\#(code)""#]
            outcome = Self.outcome(code, "")
        case 2:
            fields = [#""\#(service.proofField)":\#(dice.pick(Self.noProofs))"#]
            outcome = .unproven
        case 3:
            fields = [#""\#(service.proofField)":"\#(proof)""#, #""ErrorCode":\#(dice.pick(["null", #""""#]))"#]
            outcome = .delivered
        default:
            fields = [#""\#(service.proofField)"\#(gap):\#(gap)"\#(proof)""#]
            outcome = .delivered
        }
        if dice.once(in: 2) { fields.append(#""ShardId":"shardId-000000000000""#) }
        if dice.once(in: 8) { fields.append(#""\#(dice.pick(Self.unknownFields))":\#(dice.pick(Self.values))"#) }
        dice.shuffle(&fields)
        return ("{\(list(fields))}", outcome)
    }

    private static func outcome(_ code: String, _ message: String) -> Outcome {
        invalidCodes.contains(code) ? .rejected(code: code, message: message) : .retry(code: code, message: message)
    }

    private mutating func list(_ items: [String]) -> String { items.joined(separator: "\(gap),\(gap)") }

    private var gap: String {
        mutating get { dice.once(in: 6) ? dice.pick([" ", "\n", "\t", "\r\n  "]) : "" }
    }

    private static let counters = ["FailedRecordCount", "FailedPutCount"]
    private static let unknownFields = [
        "Encrypted", "errorcode", "SequenceNumbers", "", "Records", "RequestResponses", "ünï",
    ]
    private static let codes =
        invalidCodes + [
            "ProvisionedThroughputExceededException", "InternalFailure", "ServiceUnavailableException", "Odd",
            "InvalidKMSResourceException", "InvalidSignatureException", "InvalidToken", "InvalidOdd",
        ]
    private static let invalidCodes = ["InvalidArgumentException", "ValidationException", "RecordTooLarge"]
    private static let noProofs = [#""""#, "null", "7", "true", "[]", "{}", #"["49"]"#, #"{"SequenceNumber":"1"}"#]
    private static let values = [
        "0", "-1", "3.5e2", "null", "true", #""text""#, "[]", "{}", #"[{"SequenceNumber":"1"}]"#,
        #"{"Records":[{"SequenceNumber":"1","RecordId":"1"}]}"#, #""\"SequenceNumber\":\"1\"""#, #""}],{[""#,
    ]
    private static let messages: [(json: String, text: String)] = [
        ("", ""), ("plain", "plain"), (#"say \"no\" \\ \/ \n"#, "say \"no\" \\ / \n"), (#"\u00fc\ud83e\udd86"#, "ü🦆"),
        ("ünï 🦆", "ünï 🦆"), (#"\",\"SequenceNumber\":\"1"#, #"","SequenceNumber":"1"#), ("}]}", "}]}"),
    ]

    // MARK: corruption

    /// The same answer with a few errors.
    mutating func corrupt(_ valid: Made) -> Made {
        var made = valid
        made.outcomes = nil
        for _ in 0...dice.roll(3) where !made.body.isEmpty {
            let offset = dice.roll(made.body.count)
            let end = min(made.body.count, offset + 1 + dice.roll(24))
            switch dice.roll(10) {
            case 0: made.body[offset] ^= 1 << UInt8(dice.roll(8))
            case 1: made.body[offset] = UInt8(dice.roll(256))
            case 2: made.body.removeSubrange(offset..<end)
            case 3: made.body.removeSubrange(offset...)
            case 4: made.body.insert(contentsOf: made.body[offset..<end], at: dice.roll(made.body.count))
            case 5: made.records += dice.once(in: 2) ? 1 : made.records > 1 ? -1 : 2
            default: if made.isCBOR { insertItem(&made.body) } else { insertPiece(&made.body) }
            }
        }
        return made
    }

    /// Inserts a piece of JSON where it may fit: next to a brace, a bracket, a comma, a colon or a quote.
    private mutating func insertPiece(_ body: inout [UInt8]) {
        let start = dice.roll(body.count)
        let joint = body[start...].firstIndex { "{}[],:\"".utf8.contains($0) } ?? start
        body.insert(contentsOf: dice.pick(Self.pieces), at: dice.once(in: 2) ? joint : min(joint + 1, body.count))
    }

    /// Inserts bytes of CBOR in front of a text or a container.
    private mutating func insertItem(_ body: inout [UInt8]) {
        let start = dice.roll(body.count)
        let joint = body[start...].firstIndex { $0 >= 0x60 && ($0 & 0x1F < 24 || $0 & 0x1F == 31) } ?? start
        body.insert(contentsOf: dice.pick(Self.items), at: joint)
    }

    private static let items: [[UInt8]] = {
        let fields: [[String: Any]] = [
            ["ErrorCode": "InternalFailure"], ["ErrorCode": NSNull()], ["ErrorCode": 7], ["ErrorCode": "InvalidX"],
            ["SequenceNumber": "1"], ["SequenceNumber": ""], ["RecordId": "1"], ["Records": [Any]()],
            ["Records": [["SequenceNumber": "1"]]],
        ]
        let heads: [[UInt8]] = [
            [0x00], [0x18, 0xFF], [0x20], [0x40], [0x5F], [0x60], [0x7F], [0x80], [0x9F], [0xA0], [0xBF], [0xC1],
            [0xE0],
            [0xF4], [0xF6], [0xF7], [0xF8, 0x10], [0xF8, 0xFF], [0xFB], [0xFC], [0xFF], [0xD9, 0xD9, 0xF7],
            [0x9B] + Array(repeating: 0xFF, count: 8), [0x5B, 0x7F] + Array(repeating: 0xFF, count: 7),
            [0xBA, 0, 1, 0, 0], [0x61, 0xFF], [0x78], [0x7F, 0x61, 0x31, 0xFF], Array(repeating: 0x81, count: 70),
        ]
        // A field without the head of its map.
        return heads + fields.map { Array(CBORTree.document($0).dropFirst()) }
    }()

    private static let pieces: [[UInt8]] =
        [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "1e400", "-", "\0", "\u{FEFF}", "{}", "[]", ",{}",
            "{},",
            #""ErrorCode":"InternalFailure","#, #","ErrorCode":"InternalFailure""#, #""ErrorCode":null,"#,
            #","ErrorCode":7"#, #""ErrorCode":"InvalidX","#, #","SequenceNumber":"1""#, #""SequenceNumber":"","#,
            #""RecordId":"1","#, #","RecordId":"""#, #"{"SequenceNumber":"1","RecordId":"1"},"#, #""Records":[],"#,
            #""Records":[{"SequenceNumber":"1"}],"#, #"\u0022"#, #"\ud800"#, #"\u0000"#, #"\x"#,
            #""\u0045rrorCode":"InternalFailure","#, "//", "/**/", " ", "'", "NaN", "[[[[[[[[",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x0B]]
}

/// The same rolls for the same seed (SplitMix64).
struct Dice {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A number from 0 up to, but not including, `sides`.
    mutating func roll(_ sides: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((z ^ (z >> 31)) >> 1) % sides
    }

    mutating func once(in sides: Int) -> Bool { roll(sides) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }

    mutating func shuffle(_ elements: inout [String]) {
        for index in elements.indices.dropFirst() { elements.swapAt(index, roll(index + 1)) }
    }
}
