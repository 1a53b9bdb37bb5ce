/// Keys of a role, had for a token in a file by AssumeRoleWithWebIdentity, and had anew before they end.
///
/// The file is read again for each trade, since whoever writes it renews the token there.
package struct WebIdentityCredentials: CachedCredentialsSource {
    let cache: CredentialsCache

    /// A source for the token that `AWS_WEB_IDENTITY_TOKEN_FILE` names and the role in `AWS_ROLE_ARN`, under the name in
    /// `AWS_ROLE_SESSION_NAME` if that is set.
    package init(in context: CredentialsContext) {
        cache = CredentialsCache(now: context.now) { () throws(CredentialsFailure) in
            let variable = "AWS_WEB_IDENTITY_TOKEN_FILE"
            guard let file = context.variable(variable) else {
                throw CredentialsFailure("\(variable) is not set.", kind: .notConfigured)
            }
            guard let role = context.variable("AWS_ROLE_ARN") else {
                throw CredentialsFailure("\(variable) is set without AWS_ROLE_ARN: set both.")
            }
            let session = RoleSession(roleARN: role, name: context.variable("AWS_ROLE_SESSION_NAME"))
            return try await Self.keys(of: session, for: file, variable, context)
        }
    }

    /// A source for the token in this file, of at most 64 KiB; `origin` says, in errors, where the file is named.
    init(_ session: RoleSession, tokenFile: String, origin: String, in context: CredentialsContext) {
        cache = CredentialsCache(now: context.now) { () throws(CredentialsFailure) in
            try await Self.keys(of: session, for: tokenFile, origin, context)
        }
    }

    private static func keys(
        of session: RoleSession,
        for tokenFile: String,
        _ origin: String,
        _ context: CredentialsContext
    ) async throws(CredentialsFailure) -> Credentials {
        let token = try CredentialsFailure.translating("\(origin): ") { () throws(ConfigurationFailure) in
            try SmallFile.token(in: tokenFile)
        }
        return try await context.securityTokenService().assumeRoleWithWebIdentity(session, token: token)
    }
}
