import AWSCore
import Foundation
import RecorderConcurrency
import RecorderTestSupport

/// A server that is both a Cognito pool and STS. Its identities are numbered, and its keys name their identity.
final class CognitoPoolServer: Sendable {
    let server: LocalServer

    static let poolID = "us-east-1:00000000-0000-0000-0000-000000000000"

    /// `refusing` returns the error code for a request to refuse.
    init(
        expiration: Double = 4_102_444_800,
        refusing: @escaping @Sendable (ReceivedRequest) -> String? = { _ in nil }
    ) throws {
        let given = Locked(0)
        server = try LocalServer { request, _ in
            if let code = refusing(request) { return .error(400, code, message: "refused by the test") }
            let id = request.text.firstMatch(of: /us-east-1:[a-z]+-\d+/).map { String($0.output) } ?? ""
            switch request.operation {
            case "GetId":
                let number = given.withLock { given in
                    given += 1
                    return given
                }
                return .json(200, #"{"IdentityId":"us-east-1:id-\#(number)"}"#)
            case "GetOpenIdToken":
                return .json(200, #"{"IdentityId":"\#(id)","Token":"openid-of-\#(id)"}"#)
            case "GetCredentialsForIdentity":
                let keys = Self.keys(until: expiration)
                return .json(200, #"{"IdentityId":"\#(id)","Credentials":{\#(keys)}}"#)
            default:
                return Self.roleKeys
            }
        }
    }

    private static func keys(until expiration: Double) -> String {
        let secrets = #""SecretKey":"\#(Canary.secret)","SessionToken":"\#(Canary.token)""#
        return #""AccessKeyId":"A",\#(secrets),"Expiration":\#(expiration)"#
    }

    private static let roleKeys: Reply = .answer(
        status: 200,
        headers: [],
        body: Array(
            """
            <AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
            <AccessKeyId>RA</AccessKeyId><SecretAccessKey>\(Canary.secret)</SecretAccessKey>
            <SessionToken>RT</SessionToken>
            <Expiration>2099-01-01T00:00:00Z</Expiration>
            </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>
            """.utf8
        )
    )

    /// The names of the operations called so far.
    var calls: [String] {
        server.requests.map { $0.operation ?? $0.text.firstMatch(of: /Action=(\w+)/).map { String($0.1) } ?? "?" }
    }

    /// The environment variables with this server's address, and `state` as the directory.
    func environment(state: String? = nil) -> [String: String] {
        var environment = ["AWS_ENDPOINT_URL": server.url]
        environment["XDG_STATE_HOME"] = state
        return environment
    }

    func provider(
        manager: (any AWSIdentityProviderManager)? = nil,
        unauthRoleArn: String? = nil,
        authRoleArn: String? = nil,
        state: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> AWSCognitoCredentialsProvider {
        AWSCognitoCredentialsProvider(
            regionType: .USEast1,
            identityPoolId: Self.poolID,
            identityProviderManager: manager,
            unauthRoleArn: unauthRoleArn,
            authRoleArn: authRoleArn,
            environment: environment(state: state),
            now: now
        )
    }
}

/// A user's class, with logins and a role that change while the program runs.
final class Logins: NSObject, AWSIdentityProviderManager, Sendable {
    let given: Locked<[String: String]>
    let role = Locked("")
    let failure = Locked<NSError?>(nil)

    init(_ logins: [String: String] = [:]) {
        given = Locked(logins)
    }

    func logins() -> AWSTask<NSDictionary> {
        if let failure = failure.withLock({ $0 }) { return AWSTask(error: failure) }
        return AWSTask(result: given.withLock { $0 } as NSDictionary)
    }

    var customRoleArn: String { role.withLock { $0 } }
}
