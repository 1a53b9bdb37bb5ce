/// A part of AWS with accounts and host names of its own.
struct Partition {
    /// What the names of its regions begin with.
    let regionPrefix: String

    /// What its host names end in.
    let dnsSuffix: String

    /// What those host names end in that have addresses of both IP versions.
    let dualStackSuffix: String

    /// The partition that a region is in; the commercial one for a region that is not known to be elsewhere.
    init(of region: Region) {
        self = Self.others.first { region.name.hasPrefix($0.regionPrefix) } ?? Self.commercial
    }

    /// Whether the regions are those of the United States' government.
    var isGovernment: Bool { regionPrefix == "us-gov-" }

    /// Whether the regions are the commercial ones.
    var isCommercial: Bool { regionPrefix.isEmpty }

    private init(_ regionPrefix: String, _ dnsSuffix: String, _ dualStackSuffix: String) {
        self.regionPrefix = regionPrefix
        self.dnsSuffix = dnsSuffix
        self.dualStackSuffix = dualStackSuffix
    }

    private static let commercial = Partition("", "amazonaws.com", "api.aws")

    private static let others = [
        Partition("cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn"),
        Partition("us-gov-", "amazonaws.com", "api.aws"),
        Partition("eusc-", "amazonaws.eu", "api.amazonwebservices.eu"),
        Partition("us-iso-", "c2s.ic.gov", "api.aws.ic.gov"),
        Partition("us-isob-", "sc2s.sgov.gov", "api.aws.scloud"),
        Partition("eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk"),
        Partition("us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov"),
    ]
}
