import FoundationEssentials
import RecorderHTTP

/// The JSON document in which programs, containers and EC2 instances return keys. Their formats differ only slightly.
struct CredentialsDocument: Decodable {
    var Version: Int?
    var Code: String?
    var AccessKeyId: String?
    var SecretAccessKey: String?
    var Token: String?
    var SessionToken: String?
    var Expiration: String?
    var AccountId: String?

    /// Decodes a document; nil if it is not one. The decoder's error is dropped, because it may quote the keys.
    static func read(_ bytes: [UInt8]) -> CredentialsDocument? {
        try? JSONDecoder().decode(CredentialsDocument.self, from: Data(bytes))
    }

    /// The keys in the document. An error begins with `origin` and says what is missing.
    func credentials(from origin: String) throws(CredentialsFailure) -> Credentials {
        guard let id = Self.text(AccessKeyId), let secret = Self.text(SecretAccessKey) else {
            let name = Self.text(AccessKeyId) == nil ? "AccessKeyId" : "SecretAccessKey"
            throw CredentialsFailure("\(origin): the response is JSON without \(name).")
        }
        var end: Date?
        if let expiration = Self.text(Expiration) {
            end = UTCTime(iso8601: expiration)?.date
            guard end != nil else {
                throw CredentialsFailure("\(origin): the Expiration in the response is not a time in ISO 8601.")
            }
        }
        let token = Self.text(SessionToken) ?? Self.text(Token)
        return Credentials(
            accessKeyID: id,
            secretAccessKey: secret,
            sessionToken: token,
            expiration: end,
            accountID: Self.text(AccountId)
        )
    }

    /// The keys in a response, with their expiration by this machine's clock.
    static func credentials(
        in response: HTTPResponse,
        from origin: String,
        now: Date
    ) throws(CredentialsFailure) -> Credentials {
        guard let document = read(response.body) else {
            throw CredentialsFailure(
                "\(origin): the response is \(response.body.count) bytes that are not a JSON document with keys."
            )
        }
        if let code = text(document.Code), code != "Success" {
            throw CredentialsFailure("\(origin): the response is JSON with the Code \(code.sanitized(limit: 128)).")
        }
        var credentials = try document.credentials(from: origin)
        credentials.expiration = credentials.expiration.map { response.localTime(of: $0, now: now) }
        return credentials
    }

    private static func text(_ value: String?) -> String? {
        value.flatMap { $0.isEmpty ? nil : $0 }
    }
}
