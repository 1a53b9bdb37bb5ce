/// The error codes that declare a record, or the request that holds it, invalid. No other code may cause a record to be
/// dropped.
///
/// The list is closed, because services add codes. Codes about keys, signatures, tokens, encryption or permissions concern
/// the sender or the stream, whatever they begin with (`InvalidKMSResourceException`, `MalformedPolicyDocument`). An unknown
/// code says nothing about the record (`InvalidSourceException` of Firehose). In both cases the record is kept.
package enum InvalidInputCodes {
    private static let beginnings = [
        "InvalidArgument", "InvalidData", "InvalidRecord", "Malformed", "Serialization", "Validation",
    ]
    private static let sizes = "TooLarge"

    /// Words in codes about the sender or the stream, in lower case.
    private static let foreignWords = [
        "access", "auth", "certificate", "credential", "crypt", "denied", "identity", "key", "kms", "permission",
        "polic", "principal", "role", "secret", "secur", "sign", "token",
    ]

    /// A longer code may have been cut off before the word that matters.
    private static let longest = 127

    /// Whether the code is on the list.
    package static func contains(_ code: String) -> Bool {
        guard code.utf8.count <= longest, code.utf8.allSatisfy(isPartOfCode),
            code.contains(sizes) || beginnings.contains(where: code.hasPrefix)
        else { return false }
        let lowercased = code.lowercased()
        return !foreignWords.contains(where: lowercased.contains)
    }

    /// Codes consist of letters and digits, some with a dot. Other text is a sentence, or no code at all.
    private static func isPartOfCode(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension ServiceFailure {
    /// Whether the service itself declared the request's content invalid: in an error document, with a request id and by
    /// one of the ``InvalidInputCodes``.
    ///
    /// Only then may a refused request cause a record to be dropped. Gateways respond with 413 or 400, too, and some of
    /// them send request ids or codes in headers.
    package var provesInvalidInput: Bool {
        guard let code, let status, (400..<500).contains(status), fields["__type"] != nil, requestID?.isEmpty == false
        else { return false }
        return InvalidInputCodes.contains(code)
    }
}
