/// The way from a profile to its keys, over the profiles and sources that it names.
struct ProfileResolver {
    let files: SharedConfiguration
    let context: CredentialsContext

    /// The names of the profiles passed so far.
    private var passed: [String] = []

    init(files: SharedConfiguration, context: CredentialsContext) {
        self.files = files
        self.context = context
    }

    /// The source that a profile describes. A role goes before keys, unless the profile is there to give keys for a role.
    func source(for profile: Profile) throws(CredentialsFailure) -> any CredentialsSource {
        let keys = try keys(in: profile)
        if let keys, !passed.isEmpty { return keys }
        if let role = profile["role_arn"] { return try self.role(role, of: profile) }
        if let keys { return keys }
        if let command = profile["credential_process"] {
            return ProcessCredentials(command: command, origin: profile.place, in: context)
        }
        throw nothing(in: profile)
    }

    private func role(_ arn: String, of profile: Profile) throws(CredentialsFailure) -> any CredentialsSource {
        let session = RoleSession(
            roleARN: arn,
            name: profile["role_session_name"],
            duration: try duration(in: profile),
            externalID: profile["external_id"]
        )
        guard profile["mfa_serial"] == nil else {
            throw failure(profile, "mfa_serial asks for a code typed by hand, which is not possible here.")
        }
        switch (profile["source_profile"], profile["credential_source"], profile["web_identity_token_file"]) {
        case (let name?, nil, nil):
            return AssumedRoleCredentials(session, with: try self.source(named: name, for: profile), in: context)
        case (nil, let name?, nil):
            return AssumedRoleCredentials(session, with: try self.machine(name, for: profile), in: context)
        case (nil, nil, let file?):
            let origin = "web_identity_token_file of the \(profile.place)"
            return WebIdentityCredentials(session, tokenFile: file, origin: origin, in: context)
        default:
            throw failure(
                profile,
                "with role_arn, set exactly one of source_profile, credential_source and web_identity_token_file."
            )
        }
    }

    private func source(named name: String, for profile: Profile) throws(CredentialsFailure) -> any CredentialsSource {
        let source = try CredentialsFailure.translating("The \(profile.place): source_profile: ") {
            () throws(ConfigurationFailure) in try files.profile(name)
        }
        var further = self
        further.passed.append(profile.name)
        // A profile may name itself: its keys, not its role, are meant then.
        guard !further.passed.contains(name) || source["aws_access_key_id"] != nil else {
            let circle = (further.passed + [name]).map { Legible.text($0, limit: 64) }.joined(separator: ", ")
            throw failure(profile, "source_profile leads in a circle: \(Legible.text(circle)).")
        }
        return try further.source(for: source)
    }

    private func machine(_ name: String, for profile: Profile) throws(CredentialsFailure) -> any CredentialsSource {
        switch name {
        case "Environment": return EnvironmentCredentials(context.environment)
        case "EcsContainer": return ContainerCredentials(in: context)
        case "Ec2InstanceMetadata": return InstanceMetadataCredentials(in: context)
        default:
            let problem = "credential_source is \"\(Legible.text(name, limit: 64))\""
            throw failure(profile, "\(problem): say Environment, EcsContainer or Ec2InstanceMetadata.")
        }
    }

    private func keys(in profile: Profile) throws(CredentialsFailure) -> StaticCredentials? {
        switch (profile["aws_access_key_id"], profile["aws_secret_access_key"]) {
        case (let id?, let secret?):
            let token = profile["aws_session_token"]
            return StaticCredentials(Credentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token))
        case (nil, nil): return nil
        case (_?, nil): throw failure(profile, "aws_access_key_id is set without aws_secret_access_key: set both.")
        case (nil, _?): throw failure(profile, "aws_secret_access_key is set without aws_access_key_id: set both.")
        }
    }

    private func duration(in profile: Profile) throws(CredentialsFailure) -> Duration? {
        guard let text = profile["duration_seconds"] else { return nil }
        guard let seconds = Int(text), (900...43_200).contains(seconds) else {
            throw failure(profile, "duration_seconds must be a number from 900 to 43200.")
        }
        return .seconds(seconds)
    }

    /// Why a profile gives no keys. One that others count on, or that asks for what is not here, is at fault.
    private func nothing(in profile: Profile) -> CredentialsFailure {
        if profile["sso_session"] ?? profile["sso_start_url"] ?? profile["login_session"] != nil {
            let command = "aws configure export-credentials --profile \(Legible.text(profile.name, limit: 64))"
            return failure(
                profile,
                "it signs in by browser, which is not possible here. Use a profile with "
                    + "credential_process = \(command) --format process"
            )
        }
        let kind: CredentialsFailure.Kind = passed.isEmpty ? .notConfigured : .failed
        return failure(profile, "it names no keys and no way to get any.", kind)
    }

    private func failure(
        _ profile: Profile,
        _ reason: String,
        _ kind: CredentialsFailure.Kind = .failed
    ) -> CredentialsFailure {
        CredentialsFailure("The \(profile.place): \(reason)", kind: kind)
    }
}
