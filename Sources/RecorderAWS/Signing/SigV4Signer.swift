package import Foundation
import RecorderConcurrency
package import RecorderHTTP

/// Signature Version 4, stages 2 to 4, for one service in one region.
///
/// The date is given, so the same request always gets the same signature. The derived key is kept for the day. Safe to
/// use from any thread.
package final class SigV4Signer: Sendable {
    private struct KeptKey {
        var secret = ""
        var day = ""
        var key: [UInt8] = []
    }

    private let region: String
    private let service: String
    private let kept = Locked(KeptKey())

    /// A signer for this region and the service's signing name.
    package init(region: String, service: String) {
        self.region = region
        self.service = service
    }

    /// Adds date, session token and signature to a request that goes to `path` and has its `Host` header.
    ///
    /// All headers given so far are signed. `bodyDigest` is the body's SHA-256, where it is known already.
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

    /// Stage 2: what the signature is computed over.
    package func stringToSign(_ canonical: CanonicalRequest, at date: Date) -> String {
        let time = UTCTime(date)
        let hash = Digest.hex(Digest.sha256(Array(canonical.text.utf8)))
        return "\(Self.algorithm)\n\(time.compact)\n\(scope(time))\n\(hash)"
    }

    /// Stage 3: the key for this day, region and service.
    package func signingKey(secret: String, at date: Date) -> [UInt8] {
        let day = UTCTime(date).compactDay
        if let key = kept.withLock({ $0.secret == secret && $0.day == day ? $0.key : nil }) { return key }
        let key = [day, region, service, Self.terminator].reduce(Array("AWS4\(secret)".utf8)) { key, part in
            Digest.hmacSHA256(key: key, Array(part.utf8))
        }
        kept.withLock { $0 = KeptKey(secret: secret, day: day, key: key) }
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
