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
        self.url = "\(parts.scheme)://\(host)\(path)"
    }

    /// The host without the port and without brackets.
    var hostName: String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }

    package var description: String { url }

    /// An endpoint of AWS, whose host name needs no check.
    init(publicHost: String) {
        host = publicHost
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

extension Endpoint {
    /// The public endpoint of a service in a region.
    ///
    /// `usingFIPS` selects a host with cryptography validated under FIPS 140, `dualStack` one that also has IPv6 addresses.
    /// Whether AWS has such a host is not known here; if not, its name does not resolve.
    package static func standard(
        for service: AWSService,
        in region: Region,
        usingFIPS: Bool = false,
        dualStack: Bool = false
    ) -> Endpoint {
        let partition = Partition(of: region)
        let isDualStack = dualStack && service.hasDualStackHost(in: region, partition, usingFIPS: usingFIPS)
        // In the US government's regions the plain hosts of some services are the validated ones.
        let isPlain = !usingFIPS || partition.isGovernment && service.isValidatedInGovernment && !isDualStack
        let suffix = isDualStack ? partition.dualStackSuffix : partition.dnsSuffix
        return Endpoint(publicHost: "\(service.endpointPrefix)\(isPlain ? "" : "-fips").\(region.name).\(suffix)")
    }
}

extension AWSService {
    fileprivate var isValidatedInGovernment: Bool { self == .kinesis || self == .sts }

    /// In commercial regions Cognito has no dual-stack form of its plain hosts, and in four of them none of its FIPS hosts.
    fileprivate func hasDualStackHost(in region: Region, _ partition: Partition, usingFIPS: Bool) -> Bool {
        guard self == .cognitoIdentity, partition.isCommercial else { return true }
        return usingFIPS && !["us-east-1", "us-east-2", "us-west-1", "us-west-2"].contains(region.name)
    }
}
