import AWSCore
import Foundation
import RecorderTestSupport
import Testing

struct AWSCredentialsTests {
    @Test func `no description, dump or task shows a key or a token`() {
        let session = AWSBasicSessionCredentialsProvider(
            accessKey: "planted-id",
            secretKey: Canary.secret,
            sessionToken: "planted-token"
        )
        let task = session.credentials()
        let credentials = task.result
        var text = "\(session) \(task) \(String(describing: credentials)) \(String(reflecting: credentials))"
        dump(session, to: &text)
        dump(task, to: &text)
        dump(credentials, to: &text)
        #expect(credentials != nil)
        #expect(!text.contains("planted") && !text.contains(Canary.secret))
    }

    @Test func `static keys are available at once and permanent`() {
        let provider = AWSStaticCredentialsProvider(accessKey: "id", secretKey: Canary.secret)
        provider.invalidateCachedTemporaryCredentials()
        let credentials = provider.credentials().result
        #expect(credentials?.accessKey == "id")
        #expect(credentials?.secretKey == Canary.secret)
        #expect(credentials?.sessionKey == nil)
        #expect(credentials?.expiration == nil)
    }

    @Test func `session keys include their token`() {
        let provider = AWSBasicSessionCredentialsProvider(
            accessKey: "id",
            secretKey: Canary.secret,
            sessionToken: Canary.token
        )
        provider.invalidateCachedTemporaryCredentials()
        let credentials = provider.credentials().result
        #expect(credentials?.accessKey == "id")
        #expect(credentials?.secretKey == Canary.secret)
        #expect(credentials?.sessionKey == Canary.token)
    }

    @Test func `an anonymous provider succeeds with nil`() {
        let task = AWSAnonymousCredentialsProvider().credentials()
        #expect(task.isCompleted)
        #expect(task.error == nil)
        #expect(task.result == nil)
    }
}
