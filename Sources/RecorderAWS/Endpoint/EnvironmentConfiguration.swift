/// Region and endpoints from environment variables; an empty variable counts as absent.
package enum EnvironmentConfiguration {
    /// The region in `AWS_REGION`, else in `AWS_DEFAULT_REGION`; nil where neither is set.
    package static func region(in environment: [String: String]) throws(ConfigurationFailure) -> Region? {
        guard let name = value(of: ["AWS_REGION", "AWS_DEFAULT_REGION"], in: environment)?.value else { return nil }
        return try Region(name)
    }

    /// The endpoint in the service's own variable, else in `AWS_ENDPOINT_URL`; nil where neither is set, or where
    /// `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS` is `true`.
    package static func endpoint(
        for service: AWSService,
        in environment: [String: String]
    ) throws(ConfigurationFailure) -> Endpoint? {
        guard environment["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"]?.lowercased() != "true",
            let found = value(of: [service.endpointVariable, "AWS_ENDPOINT_URL"], in: environment)
        else { return nil }
        do {
            return try Endpoint(url: found.value)
        } catch {
            throw ConfigurationFailure("\(found.name): \(error.message)")
        }
    }

    private static func value(of names: [String], in environment: [String: String]) -> (name: String, value: String)? {
        for name in names {
            if let value = environment[name], !value.isEmpty { return (name, value) }
        }
        return nil
    }
}
