import FoundationEssentials
import RecorderHTTP

/// The token of a sign-in at IAM Identity Center, in the file in which the AWS CLI keeps it.
///
/// By the rules of the CLI: that of an `sso-session` section is renewed when less than 15 minutes are left, as long as its
/// registration lasts; one of the older form is used until it ends.
struct IdentityCenterToken: Sendable {
    private let settings: IdentityCenterSettings
    private let context: CredentialsContext
    private let file: SignInFile

    private static let renewedBeforeEnd: TimeInterval = 15 * 60

    init(_ settings: IdentityCenterSettings, in context: CredentialsContext) throws(CredentialsFailure) {
        guard let hash = Digest.sha1(Array((settings.session ?? settings.startURL).utf8)) else {
            throw CredentialsFailure(
                "\(settings.origin): OpenSSL has no SHA-1 here, by which the AWS CLI names the file."
            )
        }
        self.settings = settings
        self.context = context
        file = try SignInFile(hash, in: ".aws/sso/cache", context: context)
    }

    /// A token that is valid now.
    func current() async throws(CredentialsFailure) -> String {
        let kept = try keptToken()
        let isEnding = kept.end.timeIntervalSince(context.now()) < Self.renewedBeforeEnd
        guard settings.session != nil, isEnding, let renewal = renewal(of: kept.members) else { return try valid(kept) }
        do throws(CredentialsFailure) {
            return try await renewal.token()
        } catch {
            guard error.kind != .cancelled else { throw error }
            // Another program may have renewed it at the same time, which ends what was kept before.
            let now = try keptToken()
            if now.end > context.now() { return now.text }
            throw settings.expired(
                "the sign-in ended, and was not renewed: \(error.message)",
                underlying: error.underlying
            )
        }
    }

    private struct Kept {
        let text: String
        let end: Date
        let members: [String: JSONValue]
    }

    private func keptToken() throws(CredentialsFailure) -> Kept {
        guard let members = try file.members() else { throw settings.expired("there is no sign-in yet") }
        // Older releases of the CLI end a time with UTC.
        let end = members["expiresAt"]?.string.map { $0.hasSuffix("UTC") ? $0.dropLast(3) + "Z" : $0[...] }
        guard let text = members["accessToken"]?.string, let end = end.flatMap({ UTCTime(iso8601: String($0))?.date })
        else {
            throw settings.expired("the sign-in that the AWS CLI kept has no token, or no time at which it ends")
        }
        return Kept(text: text, end: end, members: members)
    }

    private func valid(_ kept: Kept) throws(CredentialsFailure) -> String {
        guard kept.end > context.now() else { throw settings.expired("the sign-in ended") }
        return kept.text
    }

    /// How the token is renewed; nil if it cannot be, or not by this user.
    private func renewal(of members: [String: JSONValue]) -> Renewal? {
        guard context.runsPrograms, let client = members["clientId"]?.string,
            let secret = members["clientSecret"]?.string, let refresh = members["refreshToken"]?.string,
            let registered = members["registrationExpiresAt"]?.string.flatMap(UTCTime.init(iso8601:))?.date,
            registered > context.now()
        else { return nil }
        let form = ["clientId": client, "clientSecret": secret, "refreshToken": refresh, "grantType": "refresh_token"]
        return Renewal(settings: settings, context: context, file: file, kept: members, form: form)
    }
}

/// The renewal of a token: one request.
private struct Renewal {
    let settings: IdentityCenterSettings
    let context: CredentialsContext
    let file: SignInFile
    let kept: [String: JSONValue]
    let form: [String: String]

    /// A new token, which is kept.
    func token() async throws(CredentialsFailure) -> String {
        let endpoint = try settings.endpoint(for: .identityCenterSignIn, in: context)
        let body = form.sorted { $0.key < $1.key }.map { "\(JSONText.quoted($0.key)):\(JSONText.quoted($0.value))" }
        let request = HTTPRequest(
            url: "\(endpoint.url)token",
            headers: [
                HTTPHeader("Content-Type", "application/json"), HTTPHeader("User-Agent", UserAgent.standard),
            ],
            body: Array("{\(body.joined(separator: ","))}".utf8),
            timeouts: HTTPTimeouts(stall: .seconds(15), total: .seconds(30)),
            maximumResponseBytes: 64 << 10
        )
        let response: HTTPResponse
        do throws(MetadataRequest.Failure) {
            response = try await MetadataRequest(request, origin: settings.origin).send(by: context.transport)
        } catch {
            throw error.cause
        }
        let found = JSONValue(response.body)?.object
        guard let token = found?["accessToken"]?.string, let seconds = found?["expiresIn"]?.double else {
            throw CredentialsFailure(
                "the response is \(response.body.count) bytes that are not a JSON document with a token"
            )
        }
        var members = kept
        members["accessToken"] = .string(token)
        members["expiresAt"] = .string(UTCTime(context.now() + seconds).iso8601)
        members["refreshToken"] = found?["refreshToken"].flatMap { $0.string != nil ? $0 : nil }
        members["startUrl"] = .string(settings.startURL)
        members["region"] = .string(settings.region.name)
        file.replace(with: members)
        return token
    }
}
