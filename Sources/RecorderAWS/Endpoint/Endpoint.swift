import Foundation

/// Where a service is reached: scheme, host, port and path, checked once.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// The address that requests are posted to; always with a path.
    package let url: String

    /// The `Host` header: lower case, with the port unless it is the scheme's own.
    package let host: String

    /// The path, at least `/`, the same before and after the escaping that signatures ask for.
    package let path: String

    /// Whether the connection is encrypted.
    package let isEncrypted: Bool

    /// An endpoint at an address of the user's choice; `http` is allowed because the user wrote it.
    ///
    /// Credentials, a query and a fragment have no meaning here and are refused. A path may hold letters, digits and
    /// `- _ . ~ /`. An IP address is taken in one spelling only, see ``HostName``, so that what is checked is what is
    /// connected to.
    package init(url: String) throws(ConfigurationFailure) {
        // Whatever is before the sign may be a password, however the rest is written, so nothing of it is quoted.
        guard !url.contains("@") else {
            throw ConfigurationFailure(
                "The endpoint address has an @ in it: leave user name and password out. Requests are signed with AWS "
                    + "credentials; give scheme, host and, if need be, port and path."
            )
        }
        guard let parts = try Self.split(url) else {
            throw ConfigurationFailure(
                "\"\(Legible.text(url, limit: 200))\" is not an endpoint address: "
                    + "give scheme, host and, if need be, port and path, as in https://kinesis.eu-west-1.amazonaws.com."
            )
        }
        isEncrypted = parts.scheme == "https"
        let ownPort = isEncrypted ? ":443" : ":80"
        let authority = parts.authority
        host = authority.hasSuffix(ownPort) ? String(authority.dropLast(ownPort.count)) : authority
        path = parts.path.isEmpty ? "/" : parts.path
        self.url = "\(parts.scheme)://\(host)\(path)"
    }

    /// The host without port and brackets.
    var hostName: String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }

    package var description: String { url }

    /// An endpoint at a host name that needs no check.
    init(publicHost: String) {
        host = publicHost
        path = "/"
        isEncrypted = true
        url = "https://\(publicHost)/"
    }

    /// The three parts of an address, or nil if there is anything else in it.
    private static func split(
        _ url: String
    ) throws(ConfigurationFailure) -> (scheme: String, authority: String, path: String)? {
        guard let colon = url.range(of: "://") else { return nil }
        let scheme = url[..<colon.lowerBound].lowercased()
        let rest = url[colon.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let path = String(rest[slash...])
        guard scheme == "https" || scheme == "http", isPlain(path),
            let authority = try authority(rest[..<slash].lowercased())
        else { return nil }
        return (scheme, authority, path)
    }

    /// A name or an address, with a port from 1 to 65,535 or none; nil if this is neither.
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

    /// Whether the path stays as it is when it is normalised and escaped.
    private static func isPlain(_ path: String) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().dropLast()
        return path.unicodeScalars.allSatisfy { isLetterOrDigit($0) || "-._~/".unicodeScalars.contains($0) }
            && !segments.contains("") && !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }

    static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
}
