package import RecorderHTTP

/// Stage 1 of a signature: the request in the one form that both sides agree on.
///
/// Queries have no place here, since no operation uses one, and a path is already in its final form (see ``Endpoint``).
package struct CanonicalRequest: Sendable, Equatable {
    /// The canonical form, lines joined by line feeds.
    package let text: String

    /// The names of the signed headers, lower case and sorted, joined by semicolons.
    package let signedHeaders: String

    /// The form of this request, all of whose `headers` are signed; `payloadHash` is in hexadecimal.
    package init(method: HTTPRequest.Method, path: String, headers: [HTTPHeader], payloadHash: String) {
        var values: [String: String] = [:]
        for header in headers {
            let (name, value) = (header.name.lowercased(), Self.trimmed(header.value))
            values[name] = values[name].map { "\($0),\(value)" } ?? value
        }
        let names = values.keys.sorted()
        let lines = names.map { "\($0):\(values[$0] ?? "")\n" }.joined()
        signedHeaders = names.joined(separator: ";")
        text = "\(method.rawValue)\n\(path)\n\n\(lines)\n\(signedHeaders)\n\(payloadHash)"
    }

    /// White space at the ends gone, and one space for each run within.
    private static func trimmed(_ value: String) -> String {
        // Bytes, since a session token is long and its characters are not worth a look.
        let words = value.utf8.split { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
        return words.map { String(Substring($0)) }.joined(separator: " ")
    }
}
