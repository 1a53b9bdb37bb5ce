/// Keys of a role, from `AssumeRole` with other keys.
package struct AssumedRoleCredentials: CredentialsFetcher {
    private let session: RoleSession
    private let credentials: any CredentialsSource
    private let context: CredentialsContext

    /// A fetcher that assumes the role with these credentials.
    package init(_ session: RoleSession, with credentials: any CredentialsSource, in context: CredentialsContext) {
        self.session = session
        self.credentials = credentials
        self.context = context
    }

    package func fetch() async throws(CredentialsFailure) -> Credentials {
        try await context.securityTokenService(signingWith: credentials).assumeRole(session)
    }
}

/// Keys of a role, from `AssumeRoleWithWebIdentity` with a token in a file.
///
/// The file is read for each fetch, because another program renews the token in it.
package struct WebIdentityCredentials: CredentialsFetcher {
    private struct Identity {
        let session: RoleSession
        let tokenFile: String
        /// The setting that names the file, for error messages.
        let origin: String
    }

    private let given: Identity?
    private let context: CredentialsContext

    /// A fetcher for the token in the file that `AWS_WEB_IDENTITY_TOKEN_FILE` names and the role in `AWS_ROLE_ARN`; the
    /// session's name is the one in `AWS_ROLE_SESSION_NAME`, if set.
    package init(in context: CredentialsContext) {
        given = nil
        self.context = context
    }

    /// A fetcher for the token in a file of at most 64 KiB; errors begin with `origin`.
    init(_ session: RoleSession, tokenFile: String, origin: String, in context: CredentialsContext) {
        given = Identity(session: session, tokenFile: tokenFile, origin: origin)
        self.context = context
    }

    package func fetch() async throws(CredentialsFailure) -> Credentials {
        let identity = if let given { given } else { try environmentIdentity() }
        let token = try CredentialsFailure.translating(
            origin: "\(identity.origin): ",
            try SmallFile.token(in: identity.tokenFile)
        )
        return try await context.securityTokenService()
            .assumeRoleWithWebIdentity(identity.session, token: token)
    }

    private func environmentIdentity() throws(CredentialsFailure) -> Identity {
        let variable = "AWS_WEB_IDENTITY_TOKEN_FILE"
        guard let file = context.variable(variable) else {
            throw CredentialsFailure("\(variable) is not set.", kind: .notConfigured)
        }
        guard let role = context.variable("AWS_ROLE_ARN") else {
            throw CredentialsFailure("\(variable) is set without AWS_ROLE_ARN: set both.")
        }
        let session = RoleSession(roleARN: role, name: context.variable("AWS_ROLE_SESSION_NAME"))
        return Identity(session: session, tokenFile: file, origin: variable)
    }
}
