import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SecurityTokenServiceTests {
    @Test func `a web identity's token is exchanged for keys, unsigned`() async throws {
        let server = try LocalServer { _, _ in STSReply.keys("AssumeRoleWithWebIdentity") }
        let role = RoleSession(roleARN: "arn:aws:iam::1:role/r", name: "me")
        let keys = try await sts(server).assumeRoleWithWebIdentity(role, token: "a.b+c/d=ü&e")
        #expect(keys == STSReply.credentials)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.path == "/")
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded; charset=utf-8")
        #expect(request.header("X-Amz-Target") == nil)
        #expect(request.header("Authorization") == nil)
        #expect(
            request.text == "Action=AssumeRoleWithWebIdentity&Version=2011-06-15"
                + "&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&RoleSessionName=me"
                + "&WebIdentityToken=a.b%2Bc%2Fd%3D%C3%BC%26e"
        )
    }

    @Test func `a role is assumed by a signed request with all parameters`() async throws {
        let server = try LocalServer { _, _ in STSReply.keys("AssumeRole") }
        let own = StaticCredentials(Credentials(accessKeyID: "AKID", secretAccessKey: Canary.secret))
        let role = RoleSession(roleARN: "role", name: "me", duration: .seconds(900), externalID: "stranger")
        #expect(try await sts(server, own).assumeRole(role) == STSReply.credentials)
        let request = try #require(server.requests.first)
        #expect(request.header("Authorization")?.contains("/us-east-1/sts/aws4_request") == true)
        #expect(request.text.hasSuffix("&RoleSessionName=me&DurationSeconds=900&ExternalId=stranger"))
    }

    @Test func `moto accepts both calls, and its keys expire`() async throws {
        let moto = try await MotoServer.shared()
        let endpoint = try Endpoint(url: moto.url)
        let own = StaticCredentials(Credentials(accessKeyID: "AKID", secretAccessKey: Canary.secret))
        let sts = SecurityTokenService(region: try Region("us-east-1"), endpoint: endpoint, credentials: own)
        let role = RoleSession(roleARN: "arn:aws:iam::123456789012:role/test", duration: .seconds(900))
        for keys in [
            try await sts.assumeRole(role), try await sts.assumeRoleWithWebIdentity(role, token: "token"),
        ] {
            let life = try #require(keys.expiration).timeIntervalSinceNow
            #expect((800...901).contains(life))
            #expect(keys.accessKeyID.hasPrefix("ASIA") && keys.sessionToken?.isEmpty == false)
            #expect(keys.accountID == "123456789012")
        }
    }

    @Test func `a temporary failure is tried again`() async throws {
        let server = try LocalServer { _, index in
            index == 0
                ? STSReply.error(400, "IDPCommunicationError", "not now") : STSReply.keys("AssumeRoleWithWebIdentity")
        }
        _ = try await sts(server).assumeRoleWithWebIdentity(RoleSession(roleARN: "role"), token: "token")
        #expect(server.requests.count == 2)
    }

    @Test(
        arguments: [
            (STSReply.error(403, "AccessDenied", "may not &lt;assume&gt;"), "AccessDenied: may not <assume>"),
            (STSReply.error(400, "ExpiredTokenException", "Token expired"), "ExpiredTokenException: Token expired"),
            (.answer(status: 200, headers: [], body: Array("<SecretAccessKey>canary".utf8)), "(23 bytes)"),
            (.answer(status: 200, headers: [], body: []), "(0 bytes)"),
            (STSReply.keys("AssumeRole", expiration: "soon"), "not the expected XML"),
            (.answer(status: 302, headers: [HTTPHeader("Location", "http://elsewhere")], body: []), "302"),
        ] as [(Reply, String)]
    )
    func `a refusal names operation, role and reason, and quotes no key`(reply: Reply, reason: String) async throws {
        let server = try LocalServer { _, _ in reply }
        let failure = try #require(await failure(of: sts(server)))
        #expect(failure.kind == .failed)
        #expect(failure.message.hasPrefix("AssumeRoleWithWebIdentity of the role the-role: "))
        #expect(failure.message.contains(reason), "\(failure)")
        #expect(!"\(failure)".contains("canary"))
        #expect(server.requests.count == 1)
    }

    @Test func `keys are valid as long as the service says, even if this clock is years off`() async throws {
        let server = try LocalServer { _, _ in
            STSReply.keys("AssumeRole", expiration: "2015-08-30T13:36:00Z", date: "Sun, 30 Aug 2015 12:36:00 GMT")
        }
        let sts = SecurityTokenService(
            region: try Region("us-east-1"),
            endpoint: try Endpoint(url: server.url),
            now: { Date(timeIntervalSince1970: 0) }
        )
        let keys = try await sts.assumeRoleWithWebIdentity(RoleSession(roleARN: "role"), token: "token")
        #expect(keys.expiration == Date(timeIntervalSince1970: 3600))
    }

    private func sts(
        _ server: LocalServer,
        _ credentials: any CredentialsSource = AnonymousCredentials()
    ) throws -> SecurityTokenService {
        SecurityTokenService(
            region: try Region("us-east-1"),
            endpoint: try Endpoint(url: server.url),
            credentials: credentials,
            pause: { _ in }
        )
    }

    private func failure(of sts: SecurityTokenService) async -> CredentialsFailure? {
        do throws(CredentialsFailure) {
            _ = try await sts.assumeRoleWithWebIdentity(RoleSession(roleARN: "the-role"), token: "token-canary")
            return nil
        } catch {
            return error
        }
    }
}

/// The replies of the Security Token Service.
enum STSReply {
    /// The keys in ``keys(_:expiration:date:)``.
    static let credentials = Credentials(
        accessKeyID: "ASIA1",
        secretAccessKey: Canary.secret,
        sessionToken: "sts-token-canary+/=&",
        expiration: Date(timeIntervalSince1970: 4_102_444_800),
        accountID: "999988887777"
    )

    static func keys(_ operation: String, expiration: String = "2100-01-01T00:00:00Z", date: String = "") -> Reply {
        xml(
            200,
            """
            <\(operation)Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
              <\(operation)Result>
                <AssumedRoleUser><Arn>arn:aws:sts::999988887777:assumed-role/r/me</Arn></AssumedRoleUser>
                <Credentials>
                  <AccessKeyId>ASIA1</AccessKeyId>
                  <SecretAccessKey>\(Canary.secret)</SecretAccessKey>
                  <SessionToken>sts-token-canary+/=&amp;</SessionToken>
                  <Expiration>\(expiration)</Expiration>
                </Credentials>
              </\(operation)Result>
            </\(operation)Response>
            """,
            date: date
        )
    }

    static func error(_ status: Int, _ code: String, _ message: String) -> Reply {
        xml(
            status,
            """
            <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
              <Error><Type>Sender</Type><Code>\(code)</Code><Message>\(message)</Message></Error>
            </ErrorResponse>
            """
        )
    }

    private static func xml(_ status: Int, _ body: String, date: String = "") -> Reply {
        let headers = [HTTPHeader("Content-Type", "text/xml"), HTTPHeader("Date", date)]
        return .answer(status: status, headers: headers, body: Array(body.utf8))
    }
}
