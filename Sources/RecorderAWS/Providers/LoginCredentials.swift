import FoundationEssentials
import RecordFormats
import RecorderHTTP

/// Keys of a person who signed in with `aws login`, which the AWS CLI keeps in a file.
///
/// By the rules of the CLI, keys that last less than five minutes are renewed, and kept for the CLI and other programs.
struct LoginCredentials: CredentialsFetcher {
    private let session: String
    private let origin: String
    private let profile: String
    private let context: CredentialsContext

    private static let renewedBeforeEnd: TimeInterval = 5 * 60

    /// A fetcher for the session that a profile names.
    init(_ session: String, of profile: Profile, in context: CredentialsContext) {
        self.session = session
        origin = "The sign-in of the \(profile.location)"
        self.profile = profile.name.sanitized(limit: 64)
        self.context = context
    }

    func fetch() async throws(CredentialsFailure) -> Credentials {
        let file = try SignInFile(
            Digest.sha256(Array(session.utf8)),
            in: ".aws/login/cache",
            variable: "AWS_LOGIN_CACHE_DIRECTORY",
            context: context
        )
        let kept = try keys(in: file)
        if left(of: kept) > Self.renewedBeforeEnd { return kept }
        do throws(CredentialsFailure) {
            guard context.runsPrograms else { throw CredentialsFailure("it is another user's") }
            return try await SignInRenewal.completing(try await renewed(file))
        } catch {
            guard error.kind != .cancelled else { throw error }
            // Another program may have renewed them at the same time, which ends what was kept before.
            let now = try keys(in: file)
            if left(of: now) > 0 { return now }
            throw ended("it ended, and was not renewed: \(error.message)", underlying: error.underlying)
        }
    }

    private func left(of keys: Credentials) -> TimeInterval {
        keys.expiration?.timeIntervalSince(context.now()) ?? 0
    }

    private func keys(in file: SignInFile) throws(CredentialsFailure) -> Credentials {
        guard let members = try file.members() else { throw ended("there is no sign-in yet") }
        return try keys(in: members["accessToken"]?.object)
    }

    private func keys(in token: [String: JSONValue]?) throws(CredentialsFailure) -> Credentials {
        func text(_ name: String) -> String? { token?[name]?.string.flatMap { $0.isEmpty ? nil : $0 } }
        guard let id = text("accessKeyId"), let secret = text("secretAccessKey"), let session = text("sessionToken"),
            let end = text("expiresAt").flatMap(UTCTime.init(iso8601:))?.date
        else { throw ended("what the AWS CLI kept of it has no keys, or no time at which they end") }
        return Credentials(
            accessKeyID: id,
            secretAccessKey: secret,
            sessionToken: session,
            expiration: end,
            accountID: text("accountId")
        )
    }

    private func renewed(_ file: SignInFile) async throws(CredentialsFailure) -> Credentials {
        guard var members = try file.members(), let client = members["clientId"]?.string,
            let refresh = members["refreshToken"]?.string, let key = members["dpopKey"]?.string,
            var token = members["accessToken"]?.object
        else { throw CredentialsFailure("what the AWS CLI kept of it lacks what a renewal needs") }
        let renewal = try renewal(client: client, refresh: refresh, key: key, members["signInRegion"]?.string)
        let (keys, seconds, next) = try await renewal.answer(by: context.transport, with: "keys") { found in
            found["accessToken"]?.object.flatMap { keys in
                found["expiresIn"]?.double.flatMap { end in found["refreshToken"]?.string.map { (keys, end, $0) } }
            }
        }
        for name in ["accessKeyId", "secretAccessKey", "sessionToken"] { token[name] = keys[name] }
        token["expiresAt"] = .string(UTCTime(context.now() + seconds).iso8601)
        members["accessToken"] = .object(token)
        members["refreshToken"] = .string(next)
        file.replace(with: members)
        return try self.keys(in: token)
    }

    private func renewal(
        client: String,
        refresh: String,
        key: String,
        _ region: String?
    ) throws(CredentialsFailure) -> SignInRenewal {
        let url = try CredentialsFailure.translating(try endpoint(in: region)).url + "v1/token"
        guard let proof = ProofOfPossession.header(of: key, url: url, now: context.now()) else {
            throw CredentialsFailure("its dpopKey is not a private key in PEM format, of the curve P-256")
        }
        return SignInRenewal(
            url: url,
            headers: [HTTPHeader("DPoP", proof)],
            form: ["clientId": client, "refreshToken": refresh, "grantType": "refresh_token"],
            origin: "aws login"
        )
    }

    /// The address of the sign-in, whose host has a form of its own: in the region in which the person signed in, or else the
    /// machine's.
    private func endpoint(in region: String?) throws(ConfigurationFailure) -> Endpoint {
        let settings = try context.settings()
        if let named = try settings.namedEndpoint(for: .signIn) { return named }
        var found = context.region
        if let region { found = try Region(region) }
        if found == nil { found = try settings.region() }
        guard let found else {
            throw ConfigurationFailure("it needs a region: set AWS_REGION, or region in the profile")
        }
        guard let domain = Partition(of: found).signInDomain else {
            throw ConfigurationFailure("its address in \(found) is not known: set AWS_ENDPOINT_URL_SIGNIN")
        }
        return Endpoint(publicHost: "\(found.name).\(domain)")
    }

    private func ended(_ reason: String, underlying: ServiceFailure? = nil) -> CredentialsFailure {
        CredentialsFailure("\(origin): \(reason). Sign in with: aws login --profile \(profile)", underlying: underlying)
    }
}

extension Partition {
    /// What follows the region in the host of `aws login`'s sign-in, by botocore's rules for the service `signin`.
    fileprivate var signInDomain: String? {
        switch name {
        case "aws": "signin.aws.amazon.com"
        case "aws-cn": "signin.amazonaws.cn"
        case "aws-us-gov": "signin.amazonaws-us-gov.com"
        case "aws-eusc": "signin.amazonaws-eusc.eu"
        case "aws-iso": "signin.c2shome.ic.gov"
        case "aws-iso-b": "signin.sc2shome.sgov.gov"
        case "aws-iso-f": "signin.csphome.hci.ic.gov"
        default: nil
        }
    }
}
