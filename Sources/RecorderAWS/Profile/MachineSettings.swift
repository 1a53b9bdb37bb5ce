import FoundationEssentials

/// The settings of a call that the program leaves open: what the user gave, then environment variables, then the profile in use.
///
/// The variables and the files are read once, by the initializer. An empty variable counts as missing.
package struct MachineSettings: Sendable {
    private let given: GivenSettings
    private let environment: [String: String]
    private let files: SharedConfiguration
    private let profile: Profile?

    /// A value and the name of its setting.
    struct Found {
        let value: String
        let origin: String

        /// The value, converted; the message of an error begins with the origin.
        func parsed<Value>(
            by parse: (String) throws(ConfigurationFailure) -> Value
        ) throws(ConfigurationFailure) -> Value {
            do throws(ConfigurationFailure) {
                return try parse(value)
            } catch {
                throw ConfigurationFailure("\(origin): \(error.message)")
            }
        }
    }

    /// The settings for these environment variables, by default those of the process. Throws if a file cannot be used or the
    /// profile that was given, or that a variable names, does not exist.
    package init(
        _ environment: [String: String] = ProcessInfo.processInfo.environment,
        given: GivenSettings = GivenSettings()
    ) throws(ConfigurationFailure) {
        self.environment = environment
        self.given = given
        files = try SharedConfiguration(environment, profile: given.profile)
        profile = try files.profileInUse()
    }

    /// The same, but if `filesAreOptional`, a file that cannot be used is logged as a warning, once, and only the variables
    /// apply: for programs that give the endpoint and the credentials themselves.
    package init(_ environment: [String: String], filesAreOptional: Bool) throws(ConfigurationFailure) {
        do throws(ConfigurationFailure) {
            try self.init(environment)
        } catch {
            guard filesAreOptional else { throw error }
            RecorderLog.warningOnce("\(error.message) The settings of the profile are not used.")
            // Without these variables there are no paths.
            let locations =
                ["HOME", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"] + SharedConfiguration.profileVariables
            try self.init(environment.filter { !locations.contains($0.key) })
        }
    }

    /// The region that was given, else in `AWS_REGION`, else in `AWS_DEFAULT_REGION`, else the profile's `region`; nil if none is
    /// set.
    package func region() throws(ConfigurationFailure) -> Region? {
        if let region = given.region { return region }
        guard let found = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? setting("region") else {
            return nil
        }
        return try found.parsed(by: Region.init)
    }

    /// The endpoint of a service in a region: the one that was given, else ``namedEndpoint(for:)`` unless `ignoringNamed`, else a
    /// public host.
    ///
    /// `usingFIPS` and `dualStack`, else `AWS_USE_FIPS_ENDPOINT` and `AWS_USE_DUALSTACK_ENDPOINT`, else the profile's
    /// `use_fips_endpoint` and `use_dualstack_endpoint`, select the public host. `accountIDEndpointMode`, else
    /// `AWS_ACCOUNT_ID_ENDPOINT_MODE`, else `account_id_endpoint_mode`, decides whether it names the account. They do not affect
    /// a named endpoint.
    package func endpoint(
        for service: AWSService,
        in region: Region,
        ignoringNamed: Bool = false,
        usingFIPS: Bool? = nil,
        dualStack: Bool? = nil,
        accountIDEndpointMode: AccountHostMode? = nil
    ) throws(ConfigurationFailure) -> Endpoint {
        if let endpoint = given.endpoints[service] { return endpoint }
        if !ignoringNamed, let named = try namedEndpoint(for: service) { return named }
        let isFIPS = try flag(variable: "AWS_USE_FIPS_ENDPOINT", setting: "use_fips_endpoint", unless: usingFIPS)
        let isDualStack = try flag(
            variable: "AWS_USE_DUALSTACK_ENDPOINT",
            setting: "use_dualstack_endpoint",
            unless: dualStack
        )
        let mode = if let accountIDEndpointMode { accountIDEndpointMode } else { try self.accountIDEndpointMode() }
        return .standard(
            for: service,
            in: region,
            usingFIPS: isFIPS,
            dualStack: isDualStack,
            accountIDEndpointMode: mode
        )
    }

    /// `AWS_ACCOUNT_ID_ENDPOINT_MODE`, else the profile's `account_id_endpoint_mode`; `preferred` if neither is set.
    private func accountIDEndpointMode() throws(ConfigurationFailure) -> AccountHostMode {
        guard let found = variable("AWS_ACCOUNT_ID_ENDPOINT_MODE") ?? setting("account_id_endpoint_mode") else {
            return .preferred
        }
        guard let mode = AccountHostMode(rawValue: found.value.lowercased()) else {
            let value = found.value.sanitized(limit: 64)
            throw ConfigurationFailure("\(found.origin) is \"\(value)\": use preferred, required or disabled.")
        }
        return mode
    }

    /// The endpoint that the machine's settings name for a service; nil if they name none.
    ///
    /// The first of: the service's own variable, such as `AWS_ENDPOINT_URL_KINESIS`; `AWS_ENDPOINT_URL`; the service's
    /// `endpoint_url` in the `services` section that the profile names; the profile's `endpoint_url`. All are ignored if
    /// `AWS_IGNORE_CONFIGURED_ENDPOINT_URLS`, or the profile's `ignore_configured_endpoint_urls`, is `true`.
    package func namedEndpoint(for service: AWSService) throws(ConfigurationFailure) -> Endpoint? {
        let isIgnored = try flag(
            variable: "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
            setting: "ignore_configured_endpoint_urls"
        )
        guard !isIgnored else { return nil }
        var found = variable(service.endpointVariable) ?? variable("AWS_ENDPOINT_URL")
        if found == nil { found = try servicesSetting("endpoint_url", of: service) ?? setting("endpoint_url") }
        guard let found else { return nil }
        return try found.parsed(by: Endpoint.init(url:))
    }

    /// The endpoint of the EC2 metadata service: the one in `AWS_EC2_METADATA_SERVICE_ENDPOINT`, else the standard one, which
    /// is IPv6 if `AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE` is `IPv6`. The profile can have both settings, too.
    func instanceMetadataEndpoint() throws(ConfigurationFailure) -> Endpoint {
        let address = "ec2_metadata_service_endpoint"
        if let found = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? setting(address) {
            return try found.parsed(by: Endpoint.init(url:))
        }
        let mode = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE") ?? setting("\(address)_mode")
        switch mode?.value.lowercased() {
        case nil, "ipv4": return try Endpoint(url: "http://169.254.169.254")
        case "ipv6": return try Endpoint(url: "http://[fd00:ec2::254]")
        default: throw ConfigurationFailure("\(mode?.origin ?? "") must be IPv4 or IPv6.")
        }
    }

    func variable(_ name: String) -> Found? {
        environment[name].flatMap { $0.isEmpty ? nil : Found(value: $0, origin: name) }
    }

    func setting(_ name: String) -> Found? {
        guard let profile, let value = profile[name] else { return nil }
        return Found(value: value, origin: "\(name) of the \(profile.location)")
    }

    private func servicesSetting(_ name: String, of service: AWSService) throws(ConfigurationFailure) -> Found? {
        guard let profile else { return nil }
        let value = try files.setting(name, of: service.configurationName, for: profile)
        return value.map {
            Found(value: $0, origin: "\(name) of \(service.configurationName), for the \(profile.location)")
        }
    }

    /// The value given by the program, else whether an environment variable, else a setting of the profile, is `true`.
    private func flag(
        variable name: String,
        setting settingName: String,
        unless given: Bool? = nil
    ) throws(ConfigurationFailure) -> Bool {
        if let given { return given }
        guard let found = variable(name) ?? setting(settingName) else { return false }
        switch found.value.lowercased() {
        case "true": return true
        case "false": return false
        default:
            let value = found.value.sanitized(limit: 64)
            throw ConfigurationFailure("\(found.origin) is \"\(value)\": use true or false.")
        }
    }
}
