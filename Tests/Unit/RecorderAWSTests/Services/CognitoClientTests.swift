import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CognitoClientTests {
    @Test func `calls have Cognito's format and are unsigned`() async throws {
        let server = try LocalServer(Self.pool)
        let client = try client(server)
        #expect(try await client.identityID(logins: [:]) == "id-1")
        let token = try await client.openIDToken(for: "id-1", logins: [:])
        #expect(token.identityID == "id-1")
        #expect(token.token == "jwt")
        let keys = try await client.credentials(for: "id-1", logins: [:])
        #expect(keys.identityID == "id-1")
        #expect(
            keys.credentials
                == Credentials(
                    accessKeyID: "AKID",
                    secretAccessKey: Canary.secret,
                    sessionToken: "token",
                    expiration: Date(timeIntervalSince1970: 4_000_000_000.5)
                )
        )
        #expect(
            server.requests.map { $0.header("X-Amz-Target") } == [
                "AWSCognitoIdentityService.GetId", "AWSCognitoIdentityService.GetOpenIdToken",
                "AWSCognitoIdentityService.GetCredentialsForIdentity",
            ]
        )
        #expect(
            server.requests.map(\.text) == [
                #"{"IdentityPoolId":"pool"}"#, #"{"IdentityId":"id-1"}"#, #"{"IdentityId":"id-1"}"#,
            ]
        )
        #expect(server.requests.allSatisfy { $0.header("Authorization") == nil })
        #expect(server.requests.allSatisfy { $0.header("Content-Type") == "application/x-amz-json-1.1" })
    }

    @Test func `every call has the logins, the one for keys also the role`() async throws {
        let server = try LocalServer(Self.pool)
        let client = try client(server)
        let logins = ["accounts.example.com": "jwt"]
        _ = try await client.identityID(logins: logins)
        _ = try await client.openIDToken(for: "id-1", logins: logins)
        _ = try await client.credentials(for: "id-1", logins: logins, role: "arn:aws:iam::1:role/r")
        #expect(server.requests.allSatisfy { $0.text.hasSuffix(#""Logins":{"accounts.example.com":"jwt"}}"#) })
        #expect(server.requests[2].text.hasPrefix(#"{"CustomRoleArn":"arn:aws:iam::1:role\/r","IdentityId":"id-1""#))
    }

    @Test func `a response without keys is an error that quotes nothing`() async throws {
        let server = try LocalServer { _, _ in .json(200, #"{"Credentials":{"SecretKey":"canary"}}"#) }
        let client = try client(server)
        let failure = await #expect(throws: CredentialsFailure.self) {
            try await client.credentials(for: "id", logins: [:])
        }
        #expect(failure?.underlying?.kind == .unreadable)
        #expect(failure.map { "\($0)".contains("canary") } == false)
    }

    @Test func `a refusal names the pool, the call and the code`() async throws {
        let server = try LocalServer { _, _ in .error(400, "ResourceNotFoundException", message: "no such pool") }
        let client = try client(server)
        let failure = await #expect(throws: CredentialsFailure.self) { try await client.identityID(logins: [:]) }
        for word in ["pool", "GetId", "ResourceNotFoundException", "no such pool"] {
            #expect(failure?.message.contains(word) == true)
        }
    }

    @Test func `keys are valid as long as the service says, even if this clock is years off`() async throws {
        let server = try LocalServer { _, _ in
            Self.keys(date: "Sun, 30 Aug 2015 12:36:00 GMT", expiration: 1_440_938_160 + 3600)
        }
        let client = try client(server, now: { Date(timeIntervalSince1970: 0) })
        let credentials = try await client.credentials(for: "id", logins: [:]).credentials
        #expect(credentials.expiration == Date(timeIntervalSince1970: 3600))
    }

    private static func pool(_ request: ReceivedRequest, _ index: Int) -> Reply {
        switch request.operation {
        case "GetId": .json(200, #"{"IdentityId":"id-1"}"#)
        case "GetOpenIdToken": .json(200, #"{"IdentityId":"id-1","Token":"jwt"}"#)
        default: keys()
        }
    }

    private static func keys(date: String = "", expiration: Double = 4_000_000_000.5) -> Reply {
        let keys =
            #"{"AccessKeyId":"AKID","SecretKey":"\#(Canary.secret)","SessionToken":"token","Expiration":\#(expiration)}"#
        return .json(200, #"{"IdentityId":"id-1","Credentials":\#(keys)}"#, headers: [HTTPHeader("Date", date)])
    }

    private func client(
        _ server: LocalServer,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> CognitoClient {
        CognitoClient(
            poolID: "pool",
            CallConfiguration(
                region: try Region("us-east-1"),
                endpoint: try Endpoint(url: server.url),
                credentials: AnonymousCredentials(),
                now: now,
                pause: { _ in }
            )
        )
    }
}
