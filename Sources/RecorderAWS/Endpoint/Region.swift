/// An AWS region, by name.
package struct Region: Sendable, Hashable, CustomStringConvertible {
    /// The name, such as `eu-west-1`.
    package let name: String

    /// A region with this name: 1 to 32 of `a-z`, `0-9` and `-`, since the name becomes part of host and file names.
    package init(_ name: String) throws(ConfigurationFailure) {
        let isAllowed = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        guard isAllowed, (1...32).contains(name.utf8.count) else {
            throw ConfigurationFailure(
                "\"\(name.sanitized(limit: 64))\" is not a region name: use 1 to 32 of a-z, 0-9 and -, as in us-east-1."
            )
        }
        self.name = name
    }

    package var description: String { name }
}

/// A separate part of AWS, with its own accounts and host names.
struct Partition {
    /// The name in ARNs.
    let name: String

    /// The prefix of its regions' names.
    let regionPrefix: String

    /// The suffix of its host names.
    let dnsSuffix: String

    /// The suffix of its host names with addresses of both IP versions.
    let dualStackSuffix: String

    /// The partition of a region; the commercial one for an unknown region.
    init(of region: Region) {
        self = Self.others.first { region.name.hasPrefix($0.regionPrefix) } ?? Self.commercial
    }

    /// Whether the regions are those of the US government.
    var isGovernment: Bool { regionPrefix == "us-gov-" }

    /// Whether the regions are commercial.
    var isCommercial: Bool { regionPrefix.isEmpty }

    private init(_ name: String, regions regionPrefix: String, dns dnsSuffix: String, dualStack dualStackSuffix: String)
    {
        self.name = name
        self.regionPrefix = regionPrefix
        self.dnsSuffix = dnsSuffix
        self.dualStackSuffix = dualStackSuffix
    }

    private static let commercial = Partition("aws", regions: "", dns: "amazonaws.com", dualStack: "api.aws")

    private static let others = [
        Partition("aws-cn", regions: "cn-", dns: "amazonaws.com.cn", dualStack: "api.amazonwebservices.com.cn"),
        Partition("aws-us-gov", regions: "us-gov-", dns: "amazonaws.com", dualStack: "api.aws"),
        Partition("aws-eusc", regions: "eusc-", dns: "amazonaws.eu", dualStack: "api.amazonwebservices.eu"),
        Partition("aws-iso", regions: "us-iso-", dns: "c2s.ic.gov", dualStack: "api.aws.ic.gov"),
        Partition("aws-iso-b", regions: "us-isob-", dns: "sc2s.sgov.gov", dualStack: "api.aws.scloud"),
        Partition("aws-iso-e", regions: "eu-isoe-", dns: "cloud.adc-e.uk", dualStack: "api.cloud-aws.adc-e.uk"),
        Partition("aws-iso-f", regions: "us-isof-", dns: "csp.hci.ic.gov", dualStack: "api.aws.hci.ic.gov"),
    ]
}
