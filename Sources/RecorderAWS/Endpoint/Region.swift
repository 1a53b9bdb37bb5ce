/// An AWS region, by name.
package struct Region: Sendable, Hashable, CustomStringConvertible {
    /// The name in signatures and hosts, such as `eu-west-1`.
    package let name: String

    /// Whether it was given as a pseudo region, such as `fips-us-east-1` or `us-east-1-fips`: its public hosts are those with
    /// cryptography validated under FIPS 140.
    package let usesFIPS: Bool

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
        let (prefix, suffix) = ("fips-", "-fips")
        usesFIPS = name.hasPrefix(prefix) || name.hasSuffix(suffix)
        let rest = name.hasPrefix(prefix) ? name.dropFirst(prefix.count) : name[...]
        self.name = String(rest.hasSuffix(suffix) ? rest.dropLast(suffix.count) : rest)
    }

    /// A name from which the same region can be made.
    package var spelling: String { usesFIPS ? "fips-\(name)" : name }

    package var description: String { spelling }
}
