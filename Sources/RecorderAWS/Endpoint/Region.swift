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
