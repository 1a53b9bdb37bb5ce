/// The address of a service: scheme, host, port and path, validated when it is made.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// The URL that requests are posted to; always with a path.
    package let url: String

    /// The `Host` header: lower case, with the port unless it is the scheme's own.
    package let host: String

    /// The path, at least `/`; percent-encoding it for a signature changes nothing.
    package let path: String

    /// Whether the connection is encrypted.
    package let isEncrypted: Bool

    /// The rules for requests that go to another public host; nil if all requests go to this address.
    let rules: EndpointRules?

    /// An endpoint from a URL of the user, which may be `http`.
    ///
    /// User names, passwords, queries and fragments are refused. A path may contain letters, digits and `- _ . ~ /`. An IP
    /// address is accepted in one spelling only, see ``HostName``, so that the address that was checked is the one that is
    /// connected to.
    package init(url: String) throws(ConfigurationFailure) {
        // The text before the @ may be a password in any form, so the message quotes none of it.
        guard !url.contains("@") else {
            throw ConfigurationFailure(
                "The endpoint address has an @ in it: leave user name and password out. Requests are signed with AWS "
                    + "credentials; give scheme, host and, if need be, port and path."
            )
        }
        guard let parts = try Self.split(url) else {
            throw ConfigurationFailure(
                "\"\(url.sanitized(limit: 200))\" is not an endpoint address: "
                    + "give scheme, host and, if need be, port and path, as in https://kinesis.eu-west-1.amazonaws.com."
            )
        }
        isEncrypted = parts.scheme == "https"
        let ownPort = isEncrypted ? ":443" : ":80"
        let authority = parts.authority
        host = authority.hasSuffix(ownPort) ? String(authority.dropLast(ownPort.count)) : authority
        path = parts.path.isEmpty ? "/" : parts.path
        rules = nil
        self.url = "\(parts.scheme)://\(host)\(path)"
    }

    /// The host without the port and without brackets.
    var hostName: String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }

    /// Whether it is this machine, as that of an emulator.
    package var isLoopback: Bool {
        hostName == "localhost" || hostName.hasSuffix(".localhost") || hostName.hasPrefix("127.") || hostName == "::1"
    }

    package var description: String { url }

    package func hash(into hasher: inout Hasher) { hasher.combine(url) }

    /// An endpoint of AWS, whose host name needs no check.
    init(publicHost: String, rules: EndpointRules? = nil) {
        host = publicHost
        self.rules = rules
        path = "/"
        isEncrypted = true
        url = "https://\(publicHost)/"
    }

    /// The three parts of a URL; nil if it contains anything else.
    private static func split(
        _ url: String
    ) throws(ConfigurationFailure) -> (scheme: String, authority: String, path: String)? {
        guard let colon = url.firstRange(of: "://") else { return nil }
        let scheme = url[..<colon.lowerBound].lowercased()
        let rest = url[colon.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let path = String(rest[slash...])
        guard scheme == "https" || scheme == "http", isPlain(path),
            let authority = try authority(rest[..<slash].lowercased())
        else { return nil }
        return (scheme, authority, path)
    }

    /// A host name or an IP address, with an optional port from 1 to 65,535; nil for anything else.
    private static func authority(_ text: String) throws(ConfigurationFailure) -> String? {
        var host = Substring(text)
        var port = ""
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            host = text[..<colon]
            port = String(text[colon...])
            let digits = port.dropFirst()
            guard digits.allSatisfy(\.isASCII), let number = UInt16(digits), number > 0 else { return nil }
        }
        return try HostName.canonical(String(host)).map { $0 + port }
    }

    /// Whether normalizing and percent-encoding the path would change nothing.
    private static func isPlain(_ path: String) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().dropLast()
        return path.unicodeScalars.allSatisfy { isLetterOrDigit($0) || "-._~/".unicodeScalars.contains($0) }
            && !segments.contains("") && !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }

    static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
}
