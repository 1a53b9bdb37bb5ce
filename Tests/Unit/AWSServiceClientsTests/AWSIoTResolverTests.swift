import AWSKinesisClient
import AWSServiceClients
import Foundation
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct AWSIoTResolverTests {
    @Test func `a device's certificate gives the keys of a client`() async throws {
        let device = try await CertifiedDevice()
        let server = try LocalServer { _, _ in .json(200, #"{"HasMoreStreams":false,"StreamNames":[]}"#) }
        let configuration = try KinesisClient.KinesisClientConfiguration(region: "us-east-1")
        let settings = device.environment
        func value(_ name: String) throws -> String { try #require(settings["AWS_IOT_CORE_\(name)"]) }
        func resolver(key: String) throws -> AWSIoTCredentialIdentityResolver {
            AWSIoTCredentialIdentityResolver(
                endpoint: try value("CREDENTIAL_ENDPOINT"),
                roleAlias: try value("ROLE_ALIAS"),
                thingName: try value("THING_NAME"),
                certificate: try value("CERT"),
                privateKey: key,
                certificateAuthorities: device.authority.certificate
            )
        }
        configuration.endpoint = server.url
        configuration.awsCredentialIdentityResolver = try resolver(key: value("PRIVATE_KEY"))
        let client = KinesisClient(config: configuration)
        for _ in 0..<2 { _ = try await client.listStreams(input: ListStreamsInput()) }
        #expect(server.requests.allSatisfy { $0.header("Authorization")?.contains("Credential=ASIA1/") == true })
        #expect(device.server.requests.count == 1)
        await #expect {
            _ = try await resolver(key: "/no/such.pem").getIdentity()
        } throws: { error in
            (error as? AWSClientError)?.kind == .credentials
                && (error as? AWSClientError)?.message == "privateKey: /no/such.pem does not exist."
        }
    }
}
