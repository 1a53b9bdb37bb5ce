import AWSCore
import Foundation
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct AWSWebIdentityCredentialsProviderTests {
    private func provider(_ pool: CognitoPoolServer) -> AWSWebIdentityCredentialsProvider {
        AWSWebIdentityCredentialsProvider(
            regionType: .USEast1,
            roleArn: "arn:aws:iam::1:role/web",
            roleSessionName: "session",
            webIdentityToken: "planted-token",
            environment: pool.environment()
        )
    }

    @Test func `a token is exchanged for the role's keys once, until they are invalidated`() async throws {
        let pool = try CognitoPoolServer()
        let provider = provider(pool)
        #expect(try await provider.credentials().value?.accessKey == "RA")
        #expect(try await provider.credentials().value?.sessionKey == "RT")
        #expect(pool.calls == ["AssumeRoleWithWebIdentity"])
        let form = pool.server.requests[0].text
        #expect(form.contains("RoleSessionName=session") && form.contains("WebIdentityToken=planted-token"))
        provider.invalidateCachedTemporaryCredentials()
        _ = try await provider.credentials().value
        #expect(pool.calls.count == 2)
        #expect(provider.roleArn == "arn:aws:iam::1:role/web")
        #expect(provider.roleSessionName == "session")
    }

    @Test func `a refused token is STS's error, which does not show the token`() async throws {
        let pool = try CognitoPoolServer { _ in "InvalidIdentityToken" }
        let provider = provider(pool)
        let error = try #require(await provider.credentials().failure())
        #expect(error.localizedDescription.contains("InvalidIdentityToken"))
        #expect(error.localizedDescription.contains("arn:aws:iam::1:role/web"))
        var text = "\(provider) \(error)"
        dump(provider, to: &text)
        dump(error, to: &text)
        #expect(!text.contains("planted-token"))
    }
}
