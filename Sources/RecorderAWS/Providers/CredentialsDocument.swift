import Foundation
import RecorderHTTP

/// The JSON in which processes, containers and machines give keys; they differ in little.
struct CredentialsDocument: Decodable {
    var Version: Int?
    var Code: String?
    var AccessKeyId: String?
    var SecretAccessKey: String?
    var Token: String?
    var SessionToken: String?
    var Expiration: String?

    /// Reads a document; nil if it is not one. Why is not told: a decoder's error may quote the keys.
    static func read(_ bytes: [UInt8]) -> CredentialsDocument? {
        try? JSONDecoder().decode(CredentialsDocument.self, from: Data(bytes))
    }

    /// The keys in it. An error says what is missing; `origin` begins it.
    func credentials(from origin: String) throws(CredentialsFailure) -> Credentials {
        guard let id = Self.text(AccessKeyId), let secret = Self.text(SecretAccessKey) else {
            let name = Self.text(AccessKeyId) == nil ? "AccessKeyId" : "SecretAccessKey"
            throw CredentialsFailure("\(origin): the answer is JSON without \(name).")
        }
        var end: Date?
        if let expiration = Self.text(Expiration) {
            end = UTCTime(iso8601: expiration)?.date
            guard end != nil else {
                throw CredentialsFailure("\(origin): the Expiration in the answer is not a time in ISO 8601.")
            }
        }
        let token = Self.text(SessionToken) ?? Self.text(Token)
        return Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token, expiration: end)
    }

    /// The keys in an answer, which hold as long as it says, by this machine's clock.
    static func credentials(
        in response: HTTPResponse,
        from origin: String,
        now: Date
    ) throws(CredentialsFailure) -> Credentials {
        guard let document = read(response.body) else {
            throw CredentialsFailure(
                "\(origin): the answer is \(response.body.count) bytes that are not the JSON of keys."
            )
        }
        if let code = text(document.Code), code != "Success" {
            throw CredentialsFailure("\(origin): the answer is JSON with the Code \(Legible.text(code, limit: 128)).")
        }
        var credentials = try document.credentials(from: origin)
        credentials.expiration = credentials.expiration.map { response.ownTime(of: $0, now: now) }
        return credentials
    }

    private static func text(_ value: String?) -> String? {
        value.flatMap { $0.isEmpty ? nil : $0 }
    }
}
