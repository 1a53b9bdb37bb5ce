/// Keys of a role, had for other keys by AssumeRole, and had anew before they end.
package struct AssumedRoleCredentials: CachedCredentialsSource {
    let cache: CredentialsCache

    /// A source that asks for the role with these keys.
    package init(_ session: RoleSession, with credentials: any CredentialsSource, in context: CredentialsContext) {
        cache = CredentialsCache(now: context.now) { () throws(CredentialsFailure) in
            try await context.securityTokenService(signingWith: credentials).assumeRole(session)
        }
    }
}
