import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

/// Compares settings and endpoints with those of botocore, another implementation.
@Suite struct BotocoreSettingsTests {
    @Test func `every setting that botocore finds in the files is found here`() async throws {
        let answer = try await Self.ask(files: Self.files, hosts: [])
        try #require(answer.files.count == Self.files.count)
        for (texts, profiles) in zip(Self.files, answer.files) {
            let files = try ProfileFiles(config: texts.config, credentials: texts.credentials)
            let shared = try SharedConfiguration(files.environment())
            for (name, settings) in profiles {
                let profile = try shared.profile(name)
                for (key, value) in settings {
                    #expect(profile[key] == (value.isEmpty ? nil : value), "\(key) of \(name)")
                }
            }
        }
    }

    @Test func `public hosts match botocore's for every service, region and option`() async throws {
        let regions = try await Self.ask(files: [], hosts: []).regions
        try #require(regions.count > 40)
        let orders = regions.flatMap { region in
            [AWSService.kinesis, .firehose, .sts, .cognitoIdentity].flatMap { service in
                [(false, false), (false, true), (true, false), (true, true)].map {
                    Host(service: service.signingName, region: region, fips: $0, dualStack: $1)
                }
            }
        }
        let hosts = try await Self.ask(files: [], hosts: orders).hosts
        try #require(hosts.count == orders.count)
        let services = [AWSService.kinesis, .firehose, .sts, .cognitoIdentity]
        for (order, host) in zip(orders, hosts) {
            let endpoint = Endpoint.standard(
                for: try #require(services.first { $0.signingName == order.service }),
                in: try Region(order.region),
                usingFIPS: order.fips,
                dualStack: order.dualStack
            )
            #expect(endpoint.host == host)
        }
    }

    private static let files = [
        Texts(config: "", credentials: ""),
        Texts(
            config: """
                # a comment
                [default]
                region = eu-west-1
                Output=json
                s3 =
                  max_concurrent_requests = 20
                [profile dev]
                role_arn = arn:aws:iam::1:role/dev
                source_profile = default
                duration_seconds=900

                ; another
                [profile "with space"]
                credential_process = "/opt/my tool" --for 'a b' # and so on
                [services all]
                kinesis =
                  endpoint_url = http://localhost:1
                [preview]
                nothing = here
                """,
            credentials: """
                [default]
                aws_access_key_id = AKID
                aws_secret_access_key = a/b+c=
                [dev]
                region = us-west-2
                aws_session_token =
                """
        ),
        Texts(
            config: "[profile a]\r\nregion = x\r\nname = one\r\n  two\r\n  three\r\n",
            credentials: "[b]\n\taws_access_key_id = 1\n"
        ),
    ]

    private struct Texts: Encodable {
        let config: String
        let credentials: String
    }

    private struct Host: Encodable {
        let service: String
        let region: String
        let fips: Bool
        let dualStack: Bool
    }

    private struct Question: Encodable {
        let files: [Texts]
        let hosts: [Host]
    }

    private struct Answer: Decodable {
        let files: [[String: [String: String]]]
        let hosts: [String]
        let regions: [String]
    }

    private static func ask(files: [Texts], hosts: [Host]) async throws -> Answer {
        let question = try JSONEncoder().encode(Question(files: files, hosts: hosts))
        return try JSONDecoder().decode(
            Answer.self,
            from: try await LocalPython.run("check_settings.py", input: question)
        )
    }
}
