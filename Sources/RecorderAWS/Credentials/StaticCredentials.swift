/// Keys given once, for good.
package struct StaticCredentials: CredentialsSource {
    private let given: Credentials

    /// A source that always gives these.
    package init(_ credentials: Credentials) {
        given = credentials
    }

    package func credentials() async throws(CredentialsFailure) -> Credentials? { given }

    package func invalidate() {}
}
