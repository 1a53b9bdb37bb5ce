/// Finds the source of credentials that a profile describes, through the profiles that it refers to.
struct ProfileResolver {
    let files: SharedConfiguration
    let context: CredentialsContext

    /// The names of the profiles that led to the current one.
    private var visited: [String] = []

    init(files: SharedConfiguration, context: CredentialsContext) {
        self.files = files
        self.context = context
    }

    /// The source that a profile describes, in the order of botocore. A role takes precedence over keys, except in a profile that
    /// another one uses as the source for its role. A sign-in at IAM Identity Center comes before keys in the credentials file;
    /// `aws login` and a command come after these, and before keys in the config file.
    func source(for profile: Profile) throws(CredentialsFailure) -> any CredentialsSource {
        let hasKeys = profile["aws_access_key_id"] ?? profile["aws_secret_access_key"] != nil
        if let role = profile["role_arn"], visited.isEmpty || !hasKeys { return try self.role(role, of: profile) }
        if let person = try IdentityCenterSettings.read(from: profile, in: files) {
            return context.cache(IdentityCenterCredentials(person, in: context))
        }
        if let keys = try keys(in: profile, ofCredentialsFile: true) { return keys }
        if let session = profile["login_session"] {
            return context.cache(LoginCredentials(session, of: profile, in: context))
        }
        if let device = try IoTSettings.read(from: profile) {
            return context.cache(IoTCredentials(device, in: context))
        }
        if let command = profile["credential_process"] {
            let process = ProcessCredentials(
                command: command,
                origin: profile.location,
                accountID: profile["aws_account_id"],
                in: context
            )
            return context.cache(process)
        }
        if let keys = try keys(in: profile, ofCredentialsFile: false) { return keys }
        throw noCredentials(in: profile)
    }

    private func role(_ arn: String, of profile: Profile) throws(CredentialsFailure) -> any CredentialsSource {
        let session = RoleSession(
            roleARN: arn,
            name: profile["role_session_name"],
            duration: try duration(in: profile),
            externalID: profile["external_id"]
        )
        guard profile["mfa_serial"] == nil else {
            throw failure(of: profile, "mfa_serial needs a code that a person types, which is not possible here.")
        }
        switch (profile["source_profile"], profile["credential_source"], profile["web_identity_token_file"]) {
        case (let name?, nil, nil):
            let source = try source(named: name, for: profile)
            return context.cache(AssumedRoleCredentials(session, with: source, in: context))
        case (nil, let name?, nil):
            let source = try machineSource(named: name, for: profile)
            return context.cache(AssumedRoleCredentials(session, with: source, in: context))
        case (nil, nil, let file?):
            let origin = "web_identity_token_file of the \(profile.location)"
            return context.cache(WebIdentityCredentials(session, tokenFile: file, origin: origin, in: context))
        case (nil, nil, nil) where profile["credential_process"] != nil:
            throw failure(
                of: profile,
                "it has role_arn and credential_process: remove role_arn, which is for other keys."
            )
        case (nil, nil, nil) where isForRolesAnywhere(profile):
            throw rolesAnywhere(in: profile)
        default:
            throw failure(
                of: profile,
                "with role_arn, set exactly one of source_profile, credential_source and web_identity_token_file."
            )
        }
    }

    private func source(named name: String, for profile: Profile) throws(CredentialsFailure) -> any CredentialsSource {
        let source = try CredentialsFailure.translating(
            origin: "The \(profile.location): source_profile: ",
            try files.profile(name)
        )
        var further = self
        further.visited.append(profile.name)
        // A profile that names itself means its own keys, not its role.
        guard !further.visited.contains(name) || source["aws_access_key_id"] != nil else {
            let circle = (further.visited + [name]).map { $0.sanitized(limit: 64) }.joined(separator: ", ")
            throw failure(of: profile, "source_profile leads in a circle: \(circle.sanitized()).")
        }
        return try further.source(for: source)
    }

    private func machineSource(named name: String, for profile: Profile) throws(CredentialsFailure)
        -> any CredentialsSource
    {
        switch name {
        case "Environment": return EnvironmentCredentials(context.environment, now: context.now)
        case "EcsContainer": return context.cache(ContainerCredentials(in: context))
        case "Ec2InstanceMetadata": return context.cache(InstanceMetadataCredentials(in: context))
        default:
            let problem = "credential_source is \"\(name.sanitized(limit: 64))\""
            throw failure(of: profile, "\(problem): use Environment, EcsContainer or Ec2InstanceMetadata.")
        }
    }

    /// The keys in one of a profile's files.
    private func keys(
        in profile: Profile,
        ofCredentialsFile: Bool
    ) throws(CredentialsFailure) -> StaticCredentials? {
        func setting(_ name: String) -> String? { profile.setting(name, ofCredentialsFile: ofCredentialsFile) }
        switch (setting("aws_access_key_id"), setting("aws_secret_access_key")) {
        case (let id?, let secret?):
            return StaticCredentials(
                Credentials(
                    accessKeyID: id,
                    secretAccessKey: secret,
                    sessionToken: setting("aws_session_token"),
                    accountID: profile["aws_account_id"]
                )
            )
        case (nil, nil): return nil
        case (_?, nil):
            throw failure(of: profile, "aws_access_key_id is set without aws_secret_access_key: set both, in one file.")
        case (nil, _?):
            throw failure(of: profile, "aws_secret_access_key is set without aws_access_key_id: set both, in one file.")
        }
    }

    private func duration(in profile: Profile) throws(CredentialsFailure) -> Duration? {
        guard let text = profile["duration_seconds"] else { return nil }
        guard let seconds = Int(text), (900...43_200).contains(seconds) else {
            throw failure(of: profile, "duration_seconds must be a number from 900 to 43200.")
        }
        return .seconds(seconds)
    }

    /// Why a profile has no credentials. That is an error if another profile refers to it; otherwise the profile is just not
    /// configured.
    private func noCredentials(in profile: Profile) -> CredentialsFailure {
        if isForRolesAnywhere(profile) { return rolesAnywhere(in: profile) }
        let kind: CredentialsFailure.Kind = visited.isEmpty ? .notConfigured : .failed
        let signsIn = profile["sso_session"] ?? profile["sso_start_url"] != nil
        let problem =
            signsIn
            ? "it signs in without sso_account_id and sso_role_name: set both."
            : "it has neither keys nor a source of keys."
        return failure(of: profile, problem, kind: kind)
    }

    private func isForRolesAnywhere(_ profile: Profile) -> Bool {
        profile["trust_anchor_arn"] ?? profile["profile_arn"] != nil
    }

    private func rolesAnywhere(in profile: Profile) -> CredentialsFailure {
        failure(
            of: profile,
            "trust_anchor_arn and profile_arn are for IAM Roles Anywhere, whose keys come from AWS's program for it. Use a "
                + "profile without role_arn, with credential_process = aws_signing_helper credential-process --certificate "
                + "FILE --private-key FILE --trust-anchor-arn ARN --profile-arn ARN --role-arn ARN"
        )
    }

    private func failure(
        of profile: Profile,
        _ reason: String,
        kind: CredentialsFailure.Kind = .failed
    ) -> CredentialsFailure {
        CredentialsFailure("The \(profile.location): \(reason)", kind: kind)
    }
}
