import AWSCore
import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

struct AWSServiceConfigurationTests {
    private let provider = AWSStaticCredentialsProvider(accessKey: "id", secretKey: Canary.secret)

    private func configuration(
        region: AWSRegionType = .EUWest1,
        endpoint: String? = nil
    ) throws -> AWSServiceConfiguration {
        let endpoint = endpoint.flatMap { AWSEndpoint(urlString: $0) }
        return try #require(
            AWSServiceConfiguration(region: region, endpoint: endpoint, credentialsProvider: provider)
        )
    }

    @Test func `it has the values of its initializer`() throws {
        let configuration = try #require(AWSServiceConfiguration(region: .USWest2, credentialsProvider: provider))
        #expect(configuration.regionType == .USWest2)
        #expect(configuration.credentialsProvider === provider)
        #expect(configuration.endpoint == nil)
        #expect(!configuration.localTestingEnabled)
    }

    @Test(
        arguments: [
            (nil, [:], "https://kinesis.eu-west-1.amazonaws.com/"),
            (nil, ["AWS_ENDPOINT_URL": "http://all:1"], "http://all:1/"),
            (nil, ["AWS_ENDPOINT_URL": "http://all:1", "AWS_ENDPOINT_URL_KINESIS": "http://own:2"], "http://own:2/"),
            (nil, ["AWS_ENDPOINT_URL_FIREHOSE": "http://other:3"], "https://kinesis.eu-west-1.amazonaws.com/"),
            ("http://mine:4", ["AWS_ENDPOINT_URL_KINESIS": "http://own:2"], "http://mine:4/"),
        ] as [(String?, [String: String], String)]
    )
    func `calls go to the given endpoint, otherwise the environment's, otherwise the public one`(
        endpoint: String?,
        environment: [String: String],
        url: String
    ) throws {
        let call = try configuration(endpoint: endpoint).callConfiguration(for: .kinesis, environment: environment)
        #expect(call.endpoint.url == url)
        #expect(call.region.name == "eu-west-1")
    }

    @Test func `local testing never reaches a public endpoint`() throws {
        let configuration = try #require(
            AWSServiceConfiguration(
                region: .EUWest1,
                serviceType: .Kinesis,
                credentialsProvider: provider,
                localTestingEnabled: true
            )
        )
        let failure = #expect(throws: ConfigurationFailure.self) {
            try configuration.callConfiguration(for: .kinesis, environment: [:])
        }
        #expect(failure?.message.contains("AWS_ENDPOINT_URL_KINESIS") == true)
        let call = try configuration.callConfiguration(
            for: .kinesis,
            environment: ["AWS_ENDPOINT_URL": "http://localhost:4566"]
        )
        #expect(call.endpoint.url == "http://localhost:4566/")
    }

    @Test func `local testing with an endpoint calls that endpoint`() throws {
        let configuration = try #require(
            AWSServiceConfiguration(
                region: .EUWest1,
                endpoint: AWSEndpoint(urlString: "http://mine:4"),
                credentialsProvider: provider,
                localTestingEnabled: true
            )
        )
        #expect(configuration.localTestingEnabled)
        let call = try configuration.callConfiguration(for: .kinesis, environment: ["AWS_ENDPOINT_URL": "http://all:1"])
        #expect(call.endpoint.url == "http://mine:4/")
    }

    @Test func `a region that is Unknown fails the call, not the configuration`() throws {
        let configuration = try configuration(region: .Unknown)
        let failure = #expect(throws: ConfigurationFailure.self) {
            try configuration.callConfiguration(for: .firehose, environment: [:])
        }
        #expect(failure?.message.contains("region") == true)
    }

    @Test(arguments: ["localhost:4566", "ftp://files", "http://host/?query"])
    func `an invalid endpoint fails the call with an error that shows it`(address: String) throws {
        let configuration = try configuration(endpoint: address)
        let failure = #expect(throws: ConfigurationFailure.self) {
            try configuration.callConfiguration(for: .kinesis, environment: [:])
        }
        #expect(failure?.message.contains(address) == true)
    }

    @Test func `an endpoint with a password fails the call with an error that does not show it`() throws {
        let configuration = try configuration(endpoint: "http://user:\(Canary.proxyPassword)@127.0.0.1:1")
        let failure = #expect(throws: ConfigurationFailure.self) {
            try configuration.callConfiguration(for: .kinesis, environment: [:])
        }
        #expect(failure?.message.contains("user name and password") == true)
        #expect(failure?.message.contains(Canary.proxyPassword) == false)
        let endpoint = try #require(configuration.endpoint)
        let text = "\(endpoint) \(endpoint.debugDescription)"
        #expect(!text.contains(Canary.proxyPassword))
    }

    @Test func `the environment sets the retries unless the program does, and the application's ID`() throws {
        let environment = ["AWS_MAX_ATTEMPTS": "2", "AWS_SDK_UA_APP_ID": "my app"]
        let configuration = try configuration()
        #expect(try configuration.callConfiguration(for: .kinesis, environment: [:]).maximumRetries == 3)
        let call = try configuration.callConfiguration(for: .kinesis, environment: environment)
        #expect(call.maximumRetries == 1 && call.userAgent.hasSuffix(" app/my-app"))
        configuration.maxRetryCount = 3
        #expect(try configuration.callConfiguration(for: .kinesis, environment: environment).maximumRetries == 3)
        let other = try self.configuration()
        #expect {
            try other.callConfiguration(for: .kinesis, environment: ["AWS_MAX_ATTEMPTS": "-1"])
        } throws: { "\($0)".hasPrefix("AWS_MAX_ATTEMPTS is \"-1\": ") }
        let mode = ["AWS_RETRY_MODE": "x"]
        #expect(try other.callConfiguration(for: .kinesis, environment: mode).maximumRetries == 3)
    }

    @Test(arguments: [("11", 10), ("12", 10), ("1000000", 10), ("1", 0)])
    func `the environment cannot set more retries than a program, which is 10`(attempts: String, retries: Int) throws {
        let environment = ["AWS_MAX_ATTEMPTS": attempts]
        #expect(
            try configuration().callConfiguration(for: .kinesis, environment: environment).maximumRetries == retries
        )
    }

    /// In a new process, because a warning is logged once in each.
    @Test func `with endpoint and provider from code, files that cannot be used are one warning, and variables apply`()
        async throws
    {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let directory = try TemporaryDirectory()
            let malformed = directory.path("config")
            try Data("[default\n".utf8).write(to: URL(fileURLWithPath: malformed))
            let provider = AWSStaticCredentialsProvider(accessKey: "id", secretKey: Canary.secret)
            for files in [["AWS_PROFILE": "unknown"], ["AWS_CONFIG_FILE": malformed]] {
                let environment = files.merging(["AWS_MAX_ATTEMPTS": "2"]) { $1 }
                let complete = try #require(
                    AWSServiceConfiguration(
                        region: .EUWest1,
                        endpoint: AWSEndpoint(urlString: "http://127.0.0.1:1"),
                        credentialsProvider: provider
                    )
                )
                for _ in 0..<2 {
                    let call = try complete.callConfiguration(for: .kinesis, environment: environment)
                    try #require(call.maximumRetries == 1 && call.endpoint.host == "127.0.0.1:1")
                }
                let open = try #require(AWSServiceConfiguration(region: .EUWest1, credentialsProvider: provider))
                let failure = #expect(throws: ConfigurationFailure.self) {
                    try open.callConfiguration(for: .kinesis, environment: environment)
                }
                try #require(failure != nil)
            }
        }
        let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let warnings = said.split(separator: "\n").filter { $0.hasPrefix("recorder: warning: ") }
        #expect(
            warnings.count == 2 && warnings.allSatisfy { $0.hasSuffix(" The settings of the profile are not used.") }
        )
        #expect(warnings.first?.contains("AWS_PROFILE: There is no profile \"unknown\"") == true, "\(said)")
    }

    @Test func `retries and timeouts apply to the call`() throws {
        let configuration = try configuration()
        configuration.maxRetryCount = 7
        configuration.timeoutIntervalForRequest = 2.5
        configuration.timeoutIntervalForResource = 90
        configuration.minimumBytesPerSecond = 100
        let call = try configuration.callConfiguration(for: .kinesis, environment: [:])
        #expect(call.maximumRetries == 7)
        #expect(
            call.timeouts
                == HTTPTimeouts(
                    connect: .seconds(2.5),
                    stall: .seconds(2.5),
                    minimumBytesPerSecond: 100,
                    total: .seconds(90)
                )
        )
    }

    @Test(arguments: [0, -1, .nan, .infinity] as [TimeInterval])
    func `a timeout that is not a positive number is ignored`(seconds: TimeInterval) throws {
        let configuration = try configuration()
        configuration.timeoutIntervalForRequest = seconds
        configuration.timeoutIntervalForResource = seconds
        let call = try configuration.callConfiguration(for: .kinesis, environment: [:])
        #expect(call.timeouts == HTTPTimeouts())
    }

    @Test func `without a provider the environment's keys are used`() async throws {
        let configuration = try #require(AWSServiceConfiguration(region: .EUWest1, credentialsProvider: nil))
        let environment = ["AWS_ACCESS_KEY_ID": "from", "AWS_SECRET_ACCESS_KEY": "environment"]
        let call = try configuration.callConfiguration(for: .kinesis, environment: environment)
        let credentials = try await call.credentials.credentials()
        #expect(credentials == Credentials(accessKeyID: "from", secretAccessKey: "environment"))
    }

    @Test func `a provider's keys are used before the environment's`() async throws {
        let environment = ["AWS_ACCESS_KEY_ID": "from", "AWS_SECRET_ACCESS_KEY": "environment"]
        let call = try configuration().callConfiguration(for: .kinesis, environment: environment)
        let credentials = try await call.credentials.credentials()
        #expect(credentials == Credentials(accessKeyID: "id", secretAccessKey: Canary.secret))
    }

    @Test func `each product token appears once, the global ones first`() throws {
        let global = "global-\(UUID().uuidString)/1"
        AWSServiceConfiguration.addGlobalUserAgentProductToken(global)
        AWSServiceConfiguration.addGlobalUserAgentProductToken(global)
        let configuration = try configuration()
        for token in ["own/1", global, "own/1", "", "  "] { configuration.addUserAgentProductToken(token) }
        let call = try configuration.callConfiguration(for: .kinesis, environment: [:])
        let base = try #require(AWSServiceConfiguration.baseUserAgent())
        #expect(call.userAgent.hasPrefix(base + " "))
        #expect(call.userAgent.components(separatedBy: global).count == 2)
        #expect(call.userAgent.hasSuffix(" own/1"))
        #expect(!call.userAgent.dropLast("own/1".count).contains("own/1"))
    }

    @Test func `a product token cannot add a header`() throws {
        let configuration = try configuration()
        configuration.addUserAgentProductToken("app/1\r\nX-Evil: 1\u{0}é")
        #expect(configuration.userAgent.hasSuffix(" app/1X-Evil: 1"))
    }

    @Test func `a copy is independent`() throws {
        let original = try configuration(endpoint: "http://mine:4")
        original.maxRetryCount = 5
        original.addUserAgentProductToken("both/1")
        let copy = try #require(original.copy() as? AWSServiceConfiguration)
        copy.maxRetryCount = 1
        copy.addUserAgentProductToken("copy/1")
        #expect(original.maxRetryCount == 5)
        #expect(!original.userAgent.contains("copy/1"))
        #expect(copy.userAgent.hasSuffix("both/1 copy/1"))
        #expect(copy.regionType == .EUWest1)
        #expect(copy.endpoint === original.endpoint)
        #expect(copy.credentialsProvider === provider)
    }

    @Test func `a subclass decides region, endpoint and provider of calls, and so does its copy`() throws {
        let configuration = try #require(OwnConfiguration(region: .EUWest1, credentialsProvider: nil))
        configuration.maxRetryCount = 7
        configuration.addUserAgentProductToken("own/1")
        let copy = try #require(configuration.copy() as? AWSServiceConfiguration)
        copy.maxRetryCount = 1
        for (configuration, retries) in [(configuration, 7), (copy, 1)] {
            let call = try configuration.callConfiguration(for: .kinesis, environment: [:])
            #expect(call.region.name == "us-west-2")
            #expect(call.endpoint.url == "http://mine:4/")
            #expect(call.maximumRetries == retries)
            #expect(call.userAgent.hasSuffix(" own/1"))
            #expect(configuration.credentialsProvider is AWSAnonymousCredentialsProvider)
        }
    }

    @Test func `a subclass decides the user agent that calls send, and so does its copy`() throws {
        final class Renamed: AWSServiceConfiguration, @unchecked Sendable {
            override class func baseUserAgent() -> String! { "app/2" }
        }
        final class Whole: AWSServiceConfiguration, @unchecked Sendable {
            override var userAgent: String! { "app/3\r\nX-Evil: 1" }
        }
        final class Unnamed: AWSServiceConfiguration, @unchecked Sendable {
            override var userAgent: String! { nil }
        }
        let all = [
            Renamed(region: .EUWest1, credentialsProvider: nil), Whole(region: .EUWest1, credentialsProvider: nil),
            Unnamed(region: .EUWest1, credentialsProvider: nil),
        ]
        for named in all {
            let named = try #require(named as AWSServiceConfiguration?)
            named.addUserAgentProductToken("own/1")
            let copy = try #require(named.copy() as? AWSServiceConfiguration)
            for configuration in [named, copy] {
                let sent = try configuration.callConfiguration(for: .kinesis, environment: [:]).userAgent
                switch named {
                case is Renamed: #expect(sent.hasPrefix("app/2 ") && sent.hasSuffix(" own/1"))
                case is Whole: #expect(sent == "app/3X-Evil: 1")
                default: #expect(sent.hasPrefix(AWSServiceConfiguration.baseUserAgent()))
                }
            }
        }
    }

    @Test func `a subclass that copies itself keeps its class`() throws {
        final class Shared: AWSServiceConfiguration, @unchecked Sendable {
            override func copy(with zone: NSZone? = nil) -> Any { self }
        }
        let configuration = try #require(Shared(region: .EUWest1, credentialsProvider: nil))
        let manager = AWSServiceManager()
        manager.defaultServiceConfiguration = configuration
        #expect(manager.defaultServiceConfiguration === configuration)
    }

    @Test func `a configuration without a region fails the call, and says how to name one`() throws {
        let configuration = AWSServiceConfiguration()
        #expect(configuration.regionType == .Unknown && configuration.credentialsProvider == nil)
        let failure = #expect(throws: ConfigurationFailure.self) {
            try configuration.callConfiguration(for: .kinesis, environment: [:])
        }
        #expect(failure?.message.contains("AWSServiceConfiguration(region:") == true)
    }

    @Test func `a region that the SDK did not know is kept by a copy`() throws {
        let configuration = AWSServiceConfiguration(region: try Region("xx-moon-1"))
        let copy = try #require(configuration.copy() as? AWSServiceConfiguration)
        #expect(try copy.callConfiguration(for: .kinesis, environment: [:]).region.name == "xx-moon-1")
    }

    @Test func `neither a description nor a dump shows the keys`() throws {
        let provider = AWSStaticCredentialsProvider(accessKey: "planted-id", secretKey: Canary.secret)
        let configuration = try #require(AWSServiceConfiguration(region: .EUWest1, credentialsProvider: provider))
        let call = try configuration.callConfiguration(for: .kinesis, environment: [:])
        var text = "\(configuration) \(provider) \(call)"
        dump(configuration, to: &text)
        dump(call, to: &text)
        #expect(!text.contains("planted") && !text.contains(Canary.secret))
    }
}

private final class OwnConfiguration: AWSServiceConfiguration, @unchecked Sendable {
    override var regionType: AWSRegionType { .USWest2 }
    override var endpoint: AWSEndpoint! { AWSEndpoint(urlString: "http://mine:4") }
    override var credentialsProvider: (any AWSCredentialsProvider)! { AWSAnonymousCredentialsProvider() }
}
