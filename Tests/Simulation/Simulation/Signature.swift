import FoundationEssentials
import Glibc
import RecordFormats
import RecorderAWS
import RecorderHTTP
import SimulatedMachine

/// The signature of a request, as the service checks it.
struct Signature {
    private let request: HTTPRequest

    init(_ request: HTTPRequest) { self.request = request }

    /// The answer to a request that is signed with keys that have expired, by a clock that is wrong, or for another body; nil
    /// if nothing is wrong.
    var refusal: HTTPResponse? {
        let end = request.header("X-Amz-Security-Token")
        if !end.isEmpty, Int(end) ?? 0 < Int(machine_now()) { return Service.error(400, "ExpiredTokenException") }
        let date = request.header("X-Amz-Date")
        guard !date.isEmpty else { return nil }
        let seconds = Self.seconds(date)
        if abs(seconds - Self.now) > 300 { return Service.error(403, "InvalidSignatureException") }
        if !isOfBody(at: Date(timeIntervalSince1970: Double(seconds))) {
            Ledger.violate("a request is signed for its body", request.body.count)
        }
        return nil
    }

    private func isOfBody(at date: Date) -> Bool {
        let canonical = CanonicalRequest(
            method: request.method,
            path: "/",
            headers: request.headers.filter { $0.name != "Authorization" && $0.name != "User-Agent" },
            payloadHash: Digest.hex(Digest.sha256(request.body))
        )
        let service = request.header("X-Amz-Target").prefix { $0 != "_" }.lowercased()
        let signer = SigV4Signer(region: "us-east-1", service: service)
        let text = signer.stringToSign(canonical, at: date)
        let signature = SigV4Signer.signature(of: text, with: signer.signingKey(secret: "secret", at: date))
        return request.header("Authorization").hasSuffix(signature)
    }

    // MARK: - time

    /// The service's time, in seconds since 1970. The machine's clock was the same when the world began.
    private static var now: Int { 1_790_000_000 + Int(machine_now() / 1_000_000_000) }

    private static func seconds(_ date: String) -> Int {
        let digits = Array(date.utf8).filter { $0 != UInt8(ascii: "T") && $0 != UInt8(ascii: "Z") }
        func number(_ range: Range<Int>) -> Int32 {
            range.upperBound > digits.count ? 0 : Int32(String(decoding: digits[range], as: UTF8.self)) ?? 0
        }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (number(0..<4) - 1_900, number(4..<6) - 1, number(6..<8))
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(8..<10), number(10..<12), number(12..<14))
        return timegm(&parts)
    }

    static var dateHeader: String {
        var (time, parts) = (now, tm())
        gmtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts.tm_wday)]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let date = "\(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1_900)"
        return "\(day), \(date) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
