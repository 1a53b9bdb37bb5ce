package import FoundationEssentials
import RecordFormats
import RecorderConcurrency
package import RecorderHTTP

/// AWS Signature Version 4, for one service in one region.
///
/// The caller passes the date, so the same request always gets the same signature. The derived key is cached for the day.
/// Safe to use from any thread.
package final class SigV4Signer: Sendable {
    private struct CachedKey {
        var secret = ""
        var day = ""
        var key: [UInt8] = []
    }

    private let region: String
    private let service: String
    private let cached = Locked(CachedKey())

    /// A signer for this region and the service's signing name.
    package init(region: String, service: String) {
        self.region = region
        self.service = service
    }

    /// Adds date, session token and signature to a request for `path` that has its `Host` header.
    ///
    /// All headers of the request are signed. `bodyDigest` is the body's SHA-256, if it is already known.
    package func sign(
        _ request: inout HTTPRequest,
        path: String,
        bodyDigest: [UInt8]? = nil,
        with credentials: Credentials,
        at date: Date
    ) {
        let time = UTCTime(date)
        request.headers.append(HTTPHeader("X-Amz-Date", time.compact))
        if let token = credentials.sessionToken {
            request.headers.append(HTTPHeader("X-Amz-Security-Token", token))
        }
        let canonical = CanonicalRequest(
            method: request.method,
            path: path,
            headers: request.headers,
            payloadHash: Digest.hex(bodyDigest ?? Digest.sha256(request.body))
        )
        let key = signingKey(secret: credentials.secretAccessKey, at: date)
        let signature = Self.signature(of: stringToSign(canonical, at: date), with: key)
        let scope = "\(credentials.accessKeyID)/\(scope(time))"
        request.headers.append(
            HTTPHeader(
                "Authorization",
                "\(Self.algorithm) Credential=\(scope), SignedHeaders=\(canonical.signedHeaders), Signature=\(signature)"
            )
        )
    }

    /// Stage 2: the text to sign.
    package func stringToSign(_ canonical: CanonicalRequest, at date: Date) -> String {
        let time = UTCTime(date)
        let hash = Digest.hex(Digest.sha256(Array(canonical.text.utf8)))
        return "\(Self.algorithm)\n\(time.compact)\n\(scope(time))\n\(hash)"
    }

    /// Stage 3: the key for this day, region and service.
    package func signingKey(secret: String, at date: Date) -> [UInt8] {
        let day = UTCTime(date).compactDay
        if let key = cached.withLock({ $0.secret == secret && $0.day == day ? $0.key : nil }) { return key }
        let key = [day, region, service, Self.terminator].reduce(Array("AWS4\(secret)".utf8)) { key, part in
            Digest.hmacSHA256(key: key, Array(part.utf8))
        }
        cached.withLock { $0 = CachedKey(secret: secret, day: day, key: key) }
        return key
    }

    /// Stage 4: the signature, in hexadecimal.
    package static func signature(of stringToSign: String, with key: [UInt8]) -> String {
        Digest.hex(Digest.hmacSHA256(key: key, Array(stringToSign.utf8)))
    }

    private static let algorithm = "AWS4-HMAC-SHA256"
    private static let terminator = "aws4_request"

    private func scope(_ time: UTCTime) -> String {
        "\(time.compactDay)/\(region)/\(service)/\(Self.terminator)"
    }
}

/// Stage 1 of a signature: the request in the canonical form, which both sides compute.
///
/// There is no query, because no operation uses one, and the path is already in its canonical form (see ``Endpoint``).
package struct CanonicalRequest: Sendable, Equatable {
    /// The canonical form, lines separated by line feeds.
    package let text: String

    /// The names of the signed headers, lower case and sorted, separated by semicolons.
    package let signedHeaders: String

    /// The canonical form of a request whose `headers` are all signed; `payloadHash` is hexadecimal.
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

    /// The value without white space at its ends, and with one space for each run of white space.
    private static func trimmed(_ value: String) -> String {
        // Works on bytes, because splitting a long session token into characters is slow.
        let words = value.utf8.split { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
        return words.map { String(Substring($0)) }.joined(separator: " ")
    }
}
