/// No keys: requests go unsigned.
package struct AnonymousCredentials: CredentialsSource {
    /// A source that always gives nil.
    package init() {}

    package func credentials() async throws(CredentialsFailure) -> Credentials? { nil }

    package func invalidate() {}
}
