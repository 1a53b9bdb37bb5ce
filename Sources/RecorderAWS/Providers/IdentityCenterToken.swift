import FoundationEssentials
import RecordFormats

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
        guard settings.session != nil, isEnding, let form = form(of: kept.members) else { return try valid(kept) }
        do throws(CredentialsFailure) {
            return try await SignInRenewal.completing(try await renewed(kept, by: form))
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

    private struct Kept: Sendable {
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

    /// What a renewal of the token asks with; nil if it cannot be renewed, or not by this user.
    private func form(of members: [String: JSONValue]) -> [String: String]? {
        guard context.runsPrograms, let client = members["clientId"]?.string,
            let secret = members["clientSecret"]?.string, let refresh = members["refreshToken"]?.string,
            let registered = members["registrationExpiresAt"]?.string.flatMap(UTCTime.init(iso8601:))?.date,
            registered > context.now()
        else { return nil }
        return ["clientId": client, "clientSecret": secret, "refreshToken": refresh, "grantType": "refresh_token"]
    }

    /// A new token, which is kept.
    private func renewed(_ kept: Kept, by form: [String: String]) async throws(CredentialsFailure) -> String {
        let url = "\(try settings.endpoint(for: .identityCenterSignIn, in: context).url)token"
        let renewal = SignInRenewal(url: url, form: form, origin: settings.origin)
        let (token, seconds, refresh) = try await renewal.answer(by: context.transport, with: "a token") { found in
            found["accessToken"]?.string.flatMap { token in
                found["expiresIn"]?.double.map { (token, $0, found["refreshToken"]?.string) }
            }
        }
        var members = kept.members
        members["accessToken"] = .string(token)
        members["expiresAt"] = .string(UTCTime(context.now() + seconds).iso8601)
        members["refreshToken"] = refresh.map(JSONValue.string)
        members["startUrl"] = .string(settings.startURL)
        members["region"] = .string(settings.region.name)
        file.replace(with: members)
        return token
    }
}
