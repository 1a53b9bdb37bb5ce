import Foundation

/// What this machine says where a program says nothing: environment variables, then the profile in use.
///
/// The variables and the files are read once, when the settings are made. An empty variable counts as absent.
package struct MachineSettings: Sendable {
    private let environment: [String: String]
    private let files: SharedConfiguration
    private let profile: Profile?

    /// A value and where it stands.
    private struct Found {
        let value: String
        let place: String
    }

    /// The settings of these variables, by default the process's own. Throws where a file is malformed or `AWS_PROFILE`
    /// names a profile that is not there.
    package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws(ConfigurationFailure) {
        self.environment = environment
        files = try SharedConfiguration(environment)
        profile = try files.profileInUse()
    }

    /// The region in `AWS_REGION`, else in `AWS_DEFAULT_REGION`, else the profile's `region`; nil where none is set.
    package func region() throws(ConfigurationFailure) -> Region? {
        guard let found = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? setting("region") else {
            return nil
        }
        return try Self.checked(found, Region.init)
    }

    /// Where a service in a region is: ``namedEndpoint(for:)`` unless that is to be ignored, else a public host.
    ///
    /// `usingFIPS` and `dualStack`, else `AWS_USE_FIPS_ENDPOINT` and `AWS_USE_DUALSTACK_ENDPOINT`, else the profile's
    /// `use_fips_endpoint` and `use_dualstack_endpoint`, choose among the public hosts; they have no effect on an address
    /// that somebody named.
    package func endpoint(
        for service: AWSService,
        in region: Region,
        ignoringNamed: Bool = false,
        usingFIPS: Bool? = nil,
        dualStack: Bool? = nil
    ) throws(ConfigurationFailure) -> Endpoint {
        if !ignoringNamed, let named = try namedEndpoint(for: service) { return named }
        return .standard(
            for: service,
            in: region,
            usingFIPS: try flag("AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint", unless: usingFIPS),
            dualStack: try flag("AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint", unless: dualStack)
        )
    }

    /// The address that somebody named for a service; nil where nobody did.
    ///
    /// The first of: the service's own variable, such as `AWS_ENDPOINT_URL_KINESIS`; `AWS_ENDPOINT_URL`; the service's
    /// `endpoint_url` in the `services` section that the profile names; the profile's `endpoint_url`. None of them counts
    /// where `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS`, or the profile's `ignore_configured_endpoint_urls`, is `true`.
    package func namedEndpoint(for service: AWSService) throws(ConfigurationFailure) -> Endpoint? {
        guard try !flag("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls") else { return nil }
        var found = variable(service.endpointVariable) ?? variable("AWS_ENDPOINT_URL")
        if found == nil { found = try servicesSetting("endpoint_url", of: service) ?? setting("endpoint_url") }
        guard let found else { return nil }
        return try Self.checked(found, Endpoint.init(url:))
    }

    /// Where the metadata service of an EC2 instance is: at the address in `AWS_EC2_METADATA_SERVICE_ENDPOINT`, else at the
    /// usual one, which is IPv6 where `AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE` is `IPv6`; the profile has both settings too.
    func instanceMetadataEndpoint() throws(ConfigurationFailure) -> Endpoint {
        let address = "ec2_metadata_service_endpoint"
        if let found = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? setting(address) {
            return try Self.checked(found, Endpoint.init(url:))
        }
        let mode = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE") ?? setting("\(address)_mode")
        switch mode?.value.lowercased() {
        case nil, "ipv4": return try Endpoint(url: "http://169.254.169.254")
        case "ipv6": return try Endpoint(url: "http://[fd00:ec2::254]")
        default: throw ConfigurationFailure("\(mode?.place ?? "") must be IPv4 or IPv6.")
        }
    }

    private func variable(_ name: String) -> Found? {
        environment[name].flatMap { $0.isEmpty ? nil : Found(value: $0, place: name) }
    }

    private func setting(_ name: String) -> Found? {
        guard let profile, let value = profile[name] else { return nil }
        return Found(value: value, place: "\(name) of the \(profile.place)")
    }

    private func servicesSetting(_ name: String, of service: AWSService) throws(ConfigurationFailure) -> Found? {
        guard let profile else { return nil }
        let value = try files.setting(name, of: service.configurationName, for: profile)
        return value.map {
            Found(value: $0, place: "\(name) of \(service.configurationName), for the \(profile.place)")
        }
    }

    /// What the program says, if it does, else the machine.
    private func flag(
        _ variableName: String,
        _ settingName: String,
        unless given: Bool? = nil
    ) throws(ConfigurationFailure) -> Bool {
        if let given { return given }
        guard let found = variable(variableName) ?? setting(settingName) else { return false }
        switch found.value.lowercased() {
        case "true": return true
        case "false": return false
        default:
            let value = Legible.text(found.value, limit: 64)
            throw ConfigurationFailure("\(found.place) is \"\(value)\": say true or false.")
        }
    }

    /// What is made of a value; an error says where it stands.
    private static func checked<Made>(
        _ found: Found,
        _ make: (String) throws(ConfigurationFailure) -> Made
    ) throws(ConfigurationFailure) -> Made {
        do throws(ConfigurationFailure) {
            return try make(found.value)
        } catch {
            throw ConfigurationFailure("\(found.place): \(error.message)")
        }
    }
}
