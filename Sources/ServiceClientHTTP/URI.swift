public import Foundation

/// The URI schemes that are supported.
public enum URIScheme: String, Sendable {
    case http
    case https

    /// The default port.
    public var port: Int { self == .http ? 80 : 443 }
}

/// The URI of a request.
public struct URI: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: URIScheme

    /// The host, without the port.
    public let host: String

    /// The port; nil for the default port.
    public let port: UInt16?

    /// The path, percent-encoded; at least `/`.
    public let path: String

    /// The query without the question mark, percent-encoded; nil if there is none.
    public let queryString: String?

    /// The default port of the scheme.
    public var defaultPort: UInt16 { UInt16(scheme.port) }

    /// The URI as a `URL`.
    public var url: URL? { URL(string: description) }

    /// A URI from text; nil unless it is `http` or `https` with a host.
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
    /// The complete URI.
    public var description: String {
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme.rawValue)://\(host)\(port)\(path)\(queryString.map { "?\($0)" } ?? "")"
    }
}
