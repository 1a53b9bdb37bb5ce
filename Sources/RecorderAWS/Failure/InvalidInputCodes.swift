/// The error codes that call a record, or the request that holds it, invalid. No other code may cost a record.
///
/// A closed list, because services add codes. Those about keys, signatures, tokens, encryption or permissions concern the
/// sender or the stream, whatever their first word (`InvalidKMSResourceException`, `MalformedPolicyDocument`), and an
/// unknown code says nothing about the record (`InvalidSourceException` of Firehose): both keep it.
package enum InvalidInputCodes {
    private static let beginnings = [
        "InvalidArgument", "InvalidData", "InvalidRecord", "Malformed", "Serialization", "Validation",
    ]
    private static let sizes = "TooLarge"

    /// What codes about the sender or the stream contain, in lower case.
    private static let foreignWords = [
        "access", "auth", "certificate", "credential", "crypt", "denied", "identity", "key", "kms", "permission",
        "polic", "principal", "role", "secret", "secur", "sign", "token",
    ]

    /// Longer codes may have been cut, with the word that matters.
    private static let longest = 127

    /// Whether the code is on the list.
    package static func contains(_ code: String) -> Bool {
        guard code.utf8.count <= longest, code.utf8.allSatisfy(isPartOfCode),
            code.contains(sizes) || beginnings.contains(where: code.hasPrefix)
        else { return false }
        let lowercased = code.lowercased()
        return !foreignWords.contains(where: lowercased.contains)
    }

    /// Codes are words of letters and digits, some with a dot; anything else is a sentence, or no code at all.
    private static func isPartOfCode(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
