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
    /// `- _ . ~ /`.
    package init(url: String) throws(ConfigurationFailure) {
        guard let parts = Self.split(url) else {
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
    private static func split(_ url: String) -> (scheme: String, authority: String, path: String)? {
        guard let colon = url.range(of: "://") else { return nil }
        let scheme = url[..<colon.lowerBound].lowercased()
        let rest = url[colon.upperBound...]
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash].lowercased()
        let path = String(rest[slash...])
        guard scheme == "https" || scheme == "http", isAuthority(authority), isPlain(path) else { return nil }
        return (scheme, authority, path)
    }

    /// Whether this is a name or an address in brackets, with a port from 1 to 65,535 or none.
    private static func isAuthority(_ text: String) -> Bool {
        var host = Substring(text)
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            host = text[..<colon]
            let port = text[text.index(after: colon)...]
            guard port.allSatisfy(\.isASCII), let number = UInt16(port), number > 0 else { return false }
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            return host.count > 2 && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        return !host.isEmpty
            && host.unicodeScalars.allSatisfy { isLetterOrDigit($0) || "-._".unicodeScalars.contains($0) }
    }

    /// Whether the path stays as it is when it is normalised and escaped.
    private static func isPlain(_ path: String) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().dropLast()
        return path.unicodeScalars.allSatisfy { isLetterOrDigit($0) || "-._~/".unicodeScalars.contains($0) }
            && !segments.contains("") && !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
}
