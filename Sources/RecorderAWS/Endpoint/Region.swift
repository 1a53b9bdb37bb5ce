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
                "\"\(Legible.text(name, limit: 64))\" is not a region name: use 1 to 32 of a-z, 0-9 and -, as in us-east-1."
            )
        }
        self.name = name
    }

    /// What the host names of this region's partition end in.
    package var dnsSuffix: String {
        Self.partitions.first { name.hasPrefix($0.prefix) }?.suffix ?? "amazonaws.com"
    }

    package var description: String { name }

    /// The partitions whose hosts are not under `amazonaws.com`.
    private static let partitions: [(prefix: String, suffix: String)] = [
        ("cn-", "amazonaws.com.cn"),
        ("eusc-", "amazonaws.eu"),
        ("us-iso-", "c2s.ic.gov"),
        ("us-isob-", "sc2s.sgov.gov"),
        ("eu-isoe-", "cloud.adc-e.uk"),
        ("us-isof-", "csp.hci.ic.gov"),
    ]
}
