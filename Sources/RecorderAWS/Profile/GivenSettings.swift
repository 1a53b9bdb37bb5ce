/// What the user set by options of a command line or in a program's own file. It comes before environment variables and
/// profiles, whatever these say.
package struct GivenSettings: Sendable {
    /// The name of a profile, which must exist. Keys, web identities and device certificates in environment variables are then not
    /// used, as by the AWS CLI: they may belong to another account.
    package var profile: String?

    /// The region.
    package var region: Region?

    /// The endpoints of services. `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS` is about other settings.
    package var endpoints: [AWSService: Endpoint] = [:]

    /// Nothing.
    package init() {}
}
