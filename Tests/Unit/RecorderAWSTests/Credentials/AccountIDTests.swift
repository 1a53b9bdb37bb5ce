import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

/// Where the account of the keys comes from, and what it changes. The keys of roles are in `SecurityTokenServiceTests`.
@Suite(.timeLimit(.minutes(10))) struct AccountIDTests {
    private static let account = "111122223333"
    private static let document = KeysJSON.text(more: #","AccountId":"111122223333""#)

    @Test func `the environment's keys are of the account in AWS_ACCOUNT_ID`() async throws {
        let keys = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": Canary.secret]
        let named = EnvironmentCredentials(keys.merging(["AWS_ACCOUNT_ID": Self.account]) { $1 })
        #expect(try await named.credentials()?.accountID == Self.account)
        let empty = EnvironmentCredentials(keys.merging(["AWS_ACCOUNT_ID": ""]) { $1 })
        #expect(try await empty.credentials()?.accountID == nil)
    }

    @Test func `a profile's keys are of the account in aws_account_id, whatever the environment says`() async throws {
        let keys = "aws_access_key_id = id\naws_secret_access_key = \(Canary.secret)\n"
        let files = try ProfileFiles(config: "[default]\n\(keys)aws_account_id = \(Self.account)\n[profile b]\n\(keys)")
        func account(_ profile: String) async throws -> String? {
            let environment = files.environment(["AWS_PROFILE": profile, "AWS_ACCOUNT_ID": "444455556666"])
            return try await ProfileCredentials(in: try .test(environment)).credentials()?.accountID
        }
        #expect(try await account("default") == Self.account)
        #expect(try await account("b") == nil)
    }

    @Test func `a program prints the account, else the profile has it`() async throws {
        func account(_ printed: String) async throws -> String? {
            let document = #"{"Version":1,"AccessKeyId":"a","SecretAccessKey":"b"\#(printed)}"#
            let files = try ProfileFiles(
                config: "[default]\ncredential_process = echo '\(document)'\naws_account_id = \(Self.account)"
            )
            return try await ProfileCredentials(in: try .test(files.environment())).credentials()?.accountID
        }
        #expect(try await account(#","AccountId":"444455556666""#) == "444455556666")
        #expect(try await account("") == Self.account)
    }

    @Test func `container agents and EC2 instances tell the account`() async throws {
        let agent = try LocalServer { _, _ in .json(200, Self.document) }
        let container = ContainerCredentials(in: try .test(["AWS_CONTAINER_CREDENTIALS_FULL_URI": agent.url]))
        #expect(try await container.fetch().accountID == Self.account)
        let instance = try InstanceServer(["KEYS": .json(200, Self.document)])
        let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": instance.server.url]
        let metadata = InstanceMetadataCredentials(in: try .test(environment))
        #expect(try await metadata.fetch().accountID == Self.account)
    }

    @Test func `an account's ID without 12 digits fails the call, and the error quotes it and says what to do`()
        async throws
    {
        for id in ["1111-2222-3333", "11112222333", "１１１１２２２２３３３３", "a/b"] {
            let (failure, hosts) = await call(accountID: id)
            #expect(
                failure?.message.contains("\"\(id)\" does not have 12 digits: correct AWS_ACCOUNT_ID") == true,
                "\(id)"
            )
            #expect(failure?.message.contains("AWS_ACCOUNT_ID_ENDPOINT_MODE to disabled") == true)
            #expect(hosts.isEmpty)
        }
    }

    @Test func `a malformed account's ID matters only where a host would name it`() async throws {
        #expect(await call(accountID: "x y", mode: "disabled").hosts == ["kinesis.us-east-1.amazonaws.com"])
        #expect(await call(.firehose, accountID: "x y").hosts == ["firehose.us-east-1.amazonaws.com"])
        let arn = "arn:aws:kinesis:us-east-1:\(Self.account):stream/s"
        #expect(
            await call(accountID: "x y", streamARN: arn).hosts == [
                "\(Self.account).data-kinesis.us-east-1.amazonaws.com"
            ]
        )
    }

    @Test func `required without an account fails the call, and the error says how to give one`() async throws {
        let (failure, hosts) = await call(accountID: nil, mode: "required")
        #expect(failure?.message.contains("AWS_ACCOUNT_ID_ENDPOINT_MODE is required") == true, "\(failure as Any)")
        #expect(failure?.message.contains("set AWS_ACCOUNT_ID, or aws_account_id in the profile") == true)
        #expect(hosts.isEmpty)
        #expect(
            await call(accountID: Self.account, mode: "required").hosts == [
                "\(Self.account).data-kinesis.us-east-1.amazonaws.com"
            ]
        )
    }

    @Test func `required fails in partitions that have no such hosts`() async throws {
        let failure = await call(accountID: Self.account, mode: "required", region: "us-iso-east-1").failure
        #expect(
            failure?.message.contains("no hosts with an account's ID in us-iso-east-1") == true,
            "\(failure as Any)"
        )
    }

    @Test func `an ARN of another service fails the call, and the error shows how to write it`() async throws {
        let failure = await call(accountID: Self.account, streamARN: "arn:aws:s3:::bucket").failure
        #expect(failure?.message.contains("StreamARN \"arn:aws:s3:::bucket\"") == true, "\(failure as Any)")
        #expect(failure?.message.contains("arn:aws:kinesis:us-east-1:123456789012:stream/NAME") == true)
    }

    @Test func `an unsigned request goes to the host without account`() async throws {
        let transport = HostRecorder()
        var configuration = CallConfiguration(
            region: try Region("us-east-1"),
            endpoint: .standard(for: .kinesis, in: try Region("us-east-1"), accountIDEndpointMode: .required),
            credentials: AnonymousCredentials()
        )
        configuration.transport = transport
        _ = try await AWSServiceCaller(.kinesis, configuration: configuration).call("ListStreams", body: [])
        #expect(transport.hosts.all == ["kinesis.us-east-1.amazonaws.com"])
    }

    @Test func `a custom endpoint gets all requests, whatever account, stream and mode`() async throws {
        let transport = HostRecorder()
        let settings = try MachineSettings([
            "AWS_ENDPOINT_URL": "http://localhost:4566", "AWS_ACCOUNT_ID_ENDPOINT_MODE": "required",
        ])
        let region = try Region("us-east-1")
        var configuration = CallConfiguration(
            region: region,
            endpoint: try settings.endpoint(for: .kinesis, in: region),
            credentials: StaticCredentials(
                Credentials(accessKeyID: "id", secretAccessKey: "s", accountID: Self.account)
            )
        )
        configuration.transport = transport
        let caller = AWSServiceCaller(.kinesis, configuration: configuration)
        // botocore sends a request with a stream's ID to AWS even then.
        let context = EndpointContext(
            streamId: "abcdefghij0123456789-xyz",
            streamARN: "arn:aws:kinesis:us-east-1:1:stream/s"
        )
        _ = try await caller.call(CallRequest("PutRecords", body: [], context: context))
        _ = try await caller.call("ListQueues", body: [])
        #expect(transport.hosts.all == ["localhost:4566", "localhost:4566"])
    }

    @Test func `a text that would change the host's end is refused`() async throws {
        let context = EndpointContext(streamId: "evil.example/0123456-xyz")
        let transport = HostRecorder()
        var configuration = CallConfiguration(
            region: try Region("us-east-1"),
            endpoint: .standard(for: .kinesis, in: try Region("us-east-1")),
            credentials: AnonymousCredentials()
        )
        configuration.transport = transport
        let caller = AWSServiceCaller(.kinesis, configuration: configuration)
        await #expect(throws: ServiceFailure.self) {
            try await caller.call(CallRequest("PutRecords", body: [], context: context))
        }
        #expect(transport.hosts.all.isEmpty)
    }

    @Test(arguments: [
        (["AWS_ACCOUNT_ID_ENDPOINT_MODE": "always"], "", "AWS_ACCOUNT_ID_ENDPOINT_MODE is \"always\": use preferred"),
        ([:], "account_id_endpoint_mode = on", "account_id_endpoint_mode of the profile \"default\" in "),
    ])
    func `an unknown mode is an error that names its setting`(
        environment: [String: String],
        setting: String,
        reason: String
    )
        throws
    {
        let files = try ProfileFiles(config: "[default]\n\(setting)\n")
        let settings = try MachineSettings(files.environment(environment))
        let failure = #expect(throws: ConfigurationFailure.self) {
            try settings.endpoint(for: .kinesis, in: try Region("us-east-1"))
        }
        #expect(failure?.message.contains(reason) == true, "\(failure as Any)")
    }

    @Test func `the profile's mode applies unless the environment has one`() async throws {
        #expect(await call(accountID: Self.account, profile: "disabled").hosts == ["kinesis.us-east-1.amazonaws.com"])
        let both = await call(accountID: Self.account, mode: "preferred", profile: "disabled").hosts
        #expect(both == ["\(Self.account).data-kinesis.us-east-1.amazonaws.com"])
    }

    /// The failure and the hosts of a call to put records.
    private func call(
        _ service: AWSService = .kinesis,
        accountID: String?,
        mode: String = "",
        profile: String = "",
        region: String = "us-east-1",
        streamARN: String? = nil
    ) async -> (failure: ServiceFailure?, hosts: [String]) {
        let transport = HostRecorder()
        do {
            let files = try ProfileFiles(config: "[default]\naccount_id_endpoint_mode = \(profile)")
            let settings = try MachineSettings(files.environment(["AWS_ACCOUNT_ID_ENDPOINT_MODE": mode]))
            let keys = Credentials(accessKeyID: "id", secretAccessKey: Canary.secret, accountID: accountID)
            var configuration = CallConfiguration(
                region: try Region(region),
                endpoint: try settings.endpoint(for: service, in: try Region(region)),
                credentials: StaticCredentials(keys)
            )
            configuration.transport = transport
            let request = CallRequest("PutRecords", body: [], context: EndpointContext(streamARN: streamARN))
            _ = try await AWSServiceCaller(service, configuration: configuration).call(request)
            return (nil, transport.hosts.all)
        } catch {
            return (error as? ServiceFailure, transport.hosts.all)
        }
    }
}

/// Records the hosts of requests and answers each with nothing.
private struct HostRecorder: HTTPTransport {
    let hosts = Recorded<String>()

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        hosts.append(request.headers.first { $0.name == "Host" }?.value ?? "")
        return HTTPResponse(status: 200)
    }
}
