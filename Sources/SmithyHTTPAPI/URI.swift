public import Foundation

/// The two kinds of addresses.
public enum URIScheme: String, Sendable {
    case http
    case https

    /// The port where an address names none.
    public var port: Int { self == .http ? 80 : 443 }
}

/// Where a request goes.
public struct URI: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: URIScheme

    /// The host, without the port.
    public let host: String

    /// The port; nil for the scheme's.
    public let port: UInt16?

    /// The path, percent-encoded, `/` at least.
    public let path: String

    /// What stands behind the question mark, percent-encoded; nil without one.
    public let queryString: String?

    /// The scheme's port.
    public var defaultPort: UInt16 { UInt16(scheme.port) }

    /// The whole address.
    public var url: URL? { URL(string: description) }

    /// The address that a text names; nil if it is none of `http` or `https` with a host.
    public init?(_ text: String) {
        guard let parts = URLComponents(string: text),
            let scheme = parts.scheme.flatMap({ URIScheme(rawValue: $0.lowercased()) }),
            let host = parts.percentEncodedHost, !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = host
        port = parts.port.flatMap(UInt16.init(exactly:))
        path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        queryString = parts.percentEncodedQuery
    }
}

extension URI: CustomStringConvertible {
    /// The whole address.
    public var description: String {
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme.rawValue)://\(host)\(port)\(path)\(queryString.map { "?\($0)" } ?? "")"
    }
}
