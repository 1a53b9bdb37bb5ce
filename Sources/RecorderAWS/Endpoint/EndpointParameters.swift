/// What the host of a request depends on. `host(of:)` has the rules of each service; they come from AWS's own.
struct EndpointParameters: Sendable, Hashable {
    /// The region's name.
    let region: String

    /// The region's partition.
    let partition: Partition

    /// Whether the host's cryptography has to be validated under FIPS 140.
    let usesFIPS: Bool

    /// Whether the host also has to have IPv6 addresses.
    let usesDualStack: Bool

    /// Whether the host is to name the account of the credentials.
    var accountIDEndpointMode: AccountHostMode

    /// The account of the credentials, if known.
    var accountID: String?

    /// Whether the operation manages resources, `control`, or transfers records, `data`.
    var operationType = ""

    /// The type of the operation's resource, if it has hosts of its own: `queue`.
    var resourceType = ""

    /// Members of the operation's input.
    var context = EndpointContext()

    init(region: Region, usesFIPS: Bool, usesDualStack: Bool, accountIDEndpointMode: AccountHostMode) {
        self.region = region.name
        partition = Partition(of: region)
        self.usesFIPS = usesFIPS
        self.usesDualStack = usesDualStack
        self.accountIDEndpointMode = accountIDEndpointMode
    }
}

// Functions that the rules use.
extension EndpointParameters {
    /// A host in the form that most hosts have.
    func usualHost(_ label: String) -> String {
        let suffix = usesDualStack ? partition.dualStackSuffix : partition.dnsSuffix
        return "\(label)\(usesFIPS ? "-fips" : "").\(region).\(suffix)"
    }

    /// Whether this can be a label of a host name: 1 to 63 letters, digits and, between them, hyphens.
    func isHostLabel(_ text: String) -> Bool {
        let isPlain = text.unicodeScalars.allSatisfy { Endpoint.isLetterOrDigit($0) || $0 == "-" }
        return isPlain && (1...63).contains(text.utf8.count) && !text.hasPrefix("-") && !text.hasSuffix("-")
    }

    /// Characters of an ASCII text, counted from its start or its end; nil if it is too short or has others.
    func substring(of text: String, from start: Int, to end: Int, fromEnd: Bool) -> String? {
        let characters = Array(text.utf8)
        guard end <= characters.count, characters.allSatisfy({ $0 < 128 }) else { return nil }
        let range = fromEnd ? characters.count - end..<characters.count - start : start..<end
        return String(decoding: characters[range], as: UTF8.self)
    }
}

extension AWSResourceName {
    /// A part of the resource, such as `stream` or the stream's name; nil if there are not so many.
    func resourcePart(_ index: Int) -> String? {
        let parts = resourceParts
        return index < parts.count ? parts[index] : nil
    }
}

/// Whether hosts name the account of the credentials, as in `123456789012.data-kinesis.us-east-1.amazonaws.com`, for the
/// services that have such hosts.
package enum AccountHostMode: String, Sendable, Hashable {
    /// If the credentials tell the account. The default.
    case preferred
    /// Always; without an account the call fails.
    case required
    /// Never.
    case disabled
}
