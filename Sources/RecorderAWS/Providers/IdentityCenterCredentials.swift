import FoundationEssentials
import RecorderHTTP

/// Keys of a role, from IAM Identity Center, for a person who signed in with `aws sso login`.
///
/// The token of the sign-in is the one that the AWS CLI keeps. It is read for each fetch.
struct IdentityCenterCredentials: CredentialsFetcher {
    private let settings: IdentityCenterSettings
    private let context: CredentialsContext

    init(_ settings: IdentityCenterSettings, in context: CredentialsContext) {
        self.settings = settings
        self.context = context
    }

    func fetch() async throws(CredentialsFailure) -> Credentials {
        let token = try await IdentityCenterToken(settings, in: context).current()
        let endpoint = try settings.endpoint(for: .identityCenter, in: context)
        let query = "role_name=\(settings.role.formEscaped)&account_id=\(settings.accountID.formEscaped)"
        let request = HTTPRequest(
            method: .get,
            url: "\(endpoint.url)federation/credentials?\(query)",
            headers: [HTTPHeader("x-amz-sso_bearer_token", token), HTTPHeader("User-Agent", UserAgent.standard)],
            timeouts: HTTPTimeouts(stall: .seconds(15), total: .seconds(30)),
            maximumResponseBytes: 64 << 10
        )
        do throws(CredentialsFailure) {
            return try keys(in: try await MetadataRequest(request, origin: settings.origin).send(in: context))
        } catch {
            guard error.underlying?.status == 401 else { throw error }
            throw settings.expired(
                "IAM Identity Center does not accept the sign-in any more",
                underlying: error.underlying
            )
        }
    }

    /// The keys in a response. The decoder's error is dropped, because it may quote them.
    private func keys(in response: HTTPResponse) throws(CredentialsFailure) -> Credentials {
        guard let keys = try? JSONDecoder().decode(Document.self, from: Data(response.body)).roleCredentials else {
            throw CredentialsFailure(
                "\(settings.origin): the response is \(response.body.count) bytes that are not a JSON document with keys."
            )
        }
        let end = Date(timeIntervalSince1970: keys.expiration / 1000)
        return Credentials(
            accessKeyID: keys.accessKeyId,
            secretAccessKey: keys.secretAccessKey,
            sessionToken: keys.sessionToken,
            expiration: response.localTime(of: end, now: context.now()),
            accountID: settings.accountID
        )
    }

    private struct Document: Decodable {
        let roleCredentials: Keys

        struct Keys: Decodable {
            let accessKeyId: String
            let secretAccessKey: String
            let sessionToken: String
            /// Milliseconds since 1970.
            let expiration: Double
        }
    }
}

/// A person's sign-in at IAM Identity Center, and the role that it is for.
///
/// The rules are botocore's: the profile names an `sso-session` section, or, in the older form, has its settings itself.
struct IdentityCenterSettings: Sendable {
    /// The name of the section; nil in the older form, whose tokens are not renewed.
    let session: String?
    let startURL: String
    let region: Region
    let accountID: String
    let role: String

    /// The profile, for messages.
    let origin: String
    private let login: String

    /// The settings of a profile; nil if it is not for IAM Identity Center.
    static func read(
        from profile: Profile,
        in files: SharedConfiguration
    ) throws(CredentialsFailure) -> IdentityCenterSettings? {
        guard profile["sso_account_id"] ?? profile["sso_role_name"] != nil else { return nil }
        return try CredentialsFailure.translating(
            origin: "The \(profile.location): ",
            try IdentityCenterSettings(profile, files)
        )
    }

    private init(_ profile: Profile, _ files: SharedConfiguration) throws(ConfigurationFailure) {
        session = profile["sso_session"]
        var shared: [String: String] = [:]
        if let session {
            let name = session.sanitized(limit: 64)
            guard let section = files.signIn(session) else {
                throw ConfigurationFailure(
                    "sso_session names \"\(name)\", but there is no such section: add [sso-session \(name)]."
                )
            }
            shared = section.filter { !$0.value.isEmpty }
            for setting in shared.keys.sorted() where profile[setting] ?? shared[setting] != shared[setting] {
                let setting = setting.sanitized(limit: 64)
                throw ConfigurationFailure(
                    "\(setting) is another one than in [sso-session \(name)]: remove it from the profile."
                )
            }
        }
        func value(_ setting: String) throws(ConfigurationFailure) -> String {
            if let value = profile[setting] ?? shared[setting] { return value }
            throw ConfigurationFailure("it signs in at IAM Identity Center, but \(setting) is missing.")
        }
        startURL = try value("sso_start_url")
        region = try Region(try value("sso_region"))
        accountID = try value("sso_account_id")
        role = try value("sso_role_name")
        origin = "IAM Identity Center for the \(profile.location)"
        login = "aws sso login --profile \(profile.name.sanitized(limit: 64))"
    }

    /// The address of one of the services.
    func endpoint(
        for service: AWSService,
        in context: CredentialsContext
    ) throws(CredentialsFailure) -> Endpoint {
        try CredentialsFailure.translating(
            origin: "\(origin): ",
            try context.settings().endpoint(for: service, in: region)
        )
    }

    /// The person has to sign in again.
    func expired(_ reason: String, underlying: ServiceFailure? = nil) -> CredentialsFailure {
        CredentialsFailure("\(origin): \(reason). Sign in with: \(login)", underlying: underlying)
    }
}
