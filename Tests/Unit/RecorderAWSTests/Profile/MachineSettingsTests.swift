import RecorderAWS
import Testing

@Suite struct MachineSettingsTests {
    let region = Result { try Region("eu-west-1") }

    @Test func `the region comes from AWS_REGION, else AWS_DEFAULT_REGION, else the profile`() throws {
        let files = try ProfileFiles(config: "[profile a]\nregion = eu-north-1\n[profile b]\nregion = no region")
        func region(_ environment: [String: String]) throws -> String? {
            try MachineSettings(files.environment(environment)).region()?.name
        }
        let both = ["AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "us-east-1", "AWS_PROFILE": "a"]
        #expect(try region(both) == "eu-west-1")
        #expect(try region(["AWS_DEFAULT_REGION": "us-east-1", "AWS_PROFILE": "a"]) == "us-east-1")
        #expect(try region(["AWS_PROFILE": "a", "AWS_REGION": ""]) == "eu-north-1")
        #expect(try region([:]) == nil)
        let variable = #expect(throws: ConfigurationFailure.self) { try region(["AWS_REGION": "no region"]) }
        #expect(variable?.message.hasPrefix("AWS_REGION: ") == true)
        let setting = #expect(throws: ConfigurationFailure.self) { try region(["AWS_PROFILE": "b"]) }
        #expect(setting?.message.hasPrefix("region of the profile \"b\" in \(files.config): ") == true)
    }

    @Test(
        arguments: [
            ([:], "profile-all:4", "services:3"),
            (["AWS_ENDPOINT_URL": "http://all:2"], "all:2", "all:2"),
            (["AWS_ENDPOINT_URL": "http://all:2", "AWS_ENDPOINT_URL_FIREHOSE": "http://own:1"], "all:2", "own:1"),
            (["AWS_ENDPOINT_URL_KINESIS": "http://own:1"], "own:1", "services:3"),
            (["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "True", "AWS_ENDPOINT_URL": "http://all:2"], nil, nil),
            (["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "false"], "profile-all:4", "services:3"),
        ] as [([String: String], String?, String?)]
    )
    func `a named endpoint: own variable, general variable, services section, profile`(
        environment: [String: String],
        kinesis: String?,
        firehose: String?
    ) throws {
        let files = try ProfileFiles(
            config: """
                [default]
                services = mine
                endpoint_url = http://profile-all:4
                [services mine]
                firehose =
                  endpoint_url = http://services:3
                cognito_identity =
                  endpoint_url = http://cognito:3
                """
        )
        let settings = try MachineSettings(files.environment(environment))
        #expect(try settings.namedEndpoint(for: .kinesis)?.host == kinesis)
        #expect(try settings.namedEndpoint(for: .firehose)?.host == firehose)
    }

    @Test(arguments: [
        ("fips-us-east-1", "us-east-1", "kinesis-fips.us-east-1.amazonaws.com"),
        ("us-east-1-fips", "us-east-1", "kinesis-fips.us-east-1.amazonaws.com"),
        ("fips-us-gov-west-1", "us-gov-west-1", "kinesis.us-gov-west-1.amazonaws.com"),
    ])
    func `a pseudo region is the region with hosts of FIPS`(given: String, name: String, host: String) throws {
        let region = try #require(try MachineSettings(["AWS_REGION": given]).region())
        #expect(region.name == name && region.usesFIPS)
        #expect(Endpoint.standard(for: .kinesis, in: region).host == host)
        #expect(try Region(region.spelling) == region && Region(name).usesFIPS == false)
        let named = try MachineSettings(["AWS_REGION": given, "AWS_ENDPOINT_URL": "http://named:1"])
        #expect(try named.endpoint(for: .kinesis, in: region).host == "named:1")
    }

    @Test func `each service has its variable and its name in the services section`() throws {
        let files = try ProfileFiles(
            config: "[default]\nservices = s\n[services s]\nsts =\n endpoint_url = http://a:1\ncognito_identity =\n"
                + " endpoint_url = http://b:2"
        )
        let settings = try MachineSettings(files.environment())
        #expect(try settings.namedEndpoint(for: .sts)?.host == "a:1")
        #expect(try settings.namedEndpoint(for: .cognitoIdentity)?.host == "b:2")
        #expect(try settings.namedEndpoint(for: .kinesis) == nil)
        let variables = ["AWS_ENDPOINT_URL_STS": "http://c:3", "AWS_ENDPOINT_URL_COGNITO_IDENTITY": "http://d:4"]
        #expect(try MachineSettings(variables).namedEndpoint(for: .sts)?.host == "c:3")
        #expect(try MachineSettings(variables).namedEndpoint(for: .cognitoIdentity)?.host == "d:4")
    }

    @Test(
        arguments: [
            ([:], "", "kinesis.eu-west-1.amazonaws.com"),
            (["AWS_USE_FIPS_ENDPOINT": "true"], "", "kinesis-fips.eu-west-1.amazonaws.com"),
            (["AWS_USE_DUALSTACK_ENDPOINT": "TRUE"], "", "kinesis.eu-west-1.api.aws"),
            ([:], "use_fips_endpoint = true", "kinesis-fips.eu-west-1.amazonaws.com"),
            ([:], "use_fips_endpoint = true\nuse_dualstack_endpoint = true", "kinesis-fips.eu-west-1.api.aws"),
            (["AWS_USE_FIPS_ENDPOINT": "false"], "use_fips_endpoint = true", "kinesis.eu-west-1.amazonaws.com"),
            (["AWS_USE_FIPS_ENDPOINT": "true", "AWS_ENDPOINT_URL": "http://named:1"], "", "named:1"),
        ] as [([String: String], String, String)]
    )
    func `the public host is selected by variable, else by profile`(
        environment: [String: String],
        setting: String,
        host: String
    ) throws {
        let files = try ProfileFiles(config: "[default]\n\(setting)\n")
        let settings = try MachineSettings(files.environment(environment))
        #expect(try settings.endpoint(for: .kinesis, in: region.get()).host == host)
    }

    @Test(
        arguments: [
            (["AWS_ENDPOINT_URL_KINESIS": "localhost"], "", "AWS_ENDPOINT_URL_KINESIS: \"localhost\" is not"),
            (["AWS_ENDPOINT_URL": "localhost"], "", "AWS_ENDPOINT_URL: \"localhost\" is not"),
            (["AWS_USE_FIPS_ENDPOINT": "yes"], "", "AWS_USE_FIPS_ENDPOINT is \"yes\": use true or false."),
            ([:], "endpoint_url = ftp://a", "endpoint_url of the profile \"default\" in "),
            ([:], "use_dualstack_endpoint = 1", "use_dualstack_endpoint of the profile \"default\" in "),
            ([:], "services = gone", "[services gone]"),
        ] as [([String: String], String, String)]
    )
    func `the error for an unusable setting names it`(
        environment: [String: String],
        setting: String,
        reason: String
    ) throws {
        let files = try ProfileFiles(config: "[default]\n\(setting)\n")
        let settings = try MachineSettings(files.environment(environment))
        let failure = #expect(throws: ConfigurationFailure.self) {
            try settings.endpoint(for: .kinesis, in: try region.get())
        }
        #expect(failure?.message.contains(reason) == true, "\(String(describing: failure))")
    }
}
