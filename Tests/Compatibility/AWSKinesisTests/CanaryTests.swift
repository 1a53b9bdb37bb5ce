import AWSKinesis
import Foundation
import RecorderHTTP
import RecorderTestSupport
import Testing

/// Searches for known secrets everywhere except where they belong.
@Suite(.timeLimit(.minutes(10))) struct CanaryTests {
    private static let login = "canary-login-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
    private static let payload = "canary-payload-cccccccccccc"

    static func keys(_ name: String) -> Reply {
        .json(
            200,
            #"{"Credentials":{"AccessKeyId":"AKID\#(name)","SecretKey":"\#(Canary.secret)","SessionToken":"\#(Canary.token)","Expiration":4102444800}}"#
        )
    }

    static let taken = Reply.json(200, #"{"FailedRecordCount":0,"Records":[{"SequenceNumber":"1","ShardId":"s"}]}"#)

    /// A service that quotes the requests that it refuses, as the real ones do.
    private static func quoting(_ request: ReceivedRequest, _ index: Int) -> Reply {
        let quoted = request.headers.map { "\($0.name):\($0.value)" }.joined(separator: " ")
        let isLogin = request.text.contains(login)
        switch request.operation {
        case "GetId": return .json(200, #"{"IdentityId":"us-east-1:id"}"#)
        case "GetCredentialsForIdentity":
            return index == 1
                ? .error(400, "InvalidParameterException", message: "bad \(isLogin ? login : "")") : keys("x")
        default:
            guard request.text.contains("refused") else { return taken }
            return .error(400, "InvalidSignatureException", message: "should have been: \(quoted)")
        }
    }

    @Test func `no log line, error, description, dump or file shows a key, token, password, signature or record`()
        async throws
    {
        let server = try LocalServer { request, index in Self.quoting(request, index) }
        let directory = try TemporaryDirectory()
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) { [url = server.url as String, path = directory.path as String] in
            try await Self.useEverything(url, path)
        }
        let output = try #require(result)
        let said = [output.standardErrorContent, output.standardOutputContent]
            .map { String(decoding: $0, as: UTF8.self) }.joined()
        let signatures = server.requests.compactMap {
            $0.header("Authorization")?.split(separator: "Signature=").last.map(String.init)
        }
        #expect(signatures.count >= 2)
        #expect(said.contains("send: kinesis stream accepted: 1 records"), "the log was on")
        #expect(said.contains("InvalidSignatureException"))
        #expect(said.contains("https_proxy"), "the last submit met a proxy that cannot be used")
        for canary in signatures + [Canary.secret, Canary.token, Canary.proxyPassword, Self.login, Self.payload] {
            #expect(!said.contains(canary))
        }
        try expectNoSecret(in: directory, signatures)
    }

    /// The store contains the records and no keys, the identity's file the keys and no records.
    private func expectNoSecret(in directory: TemporaryDirectory, _ signatures: [String]) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let contents = FileManager.default.contents(atPath: directory.path(name)) ?? Data()
            let isIdentity = name.hasPrefix("cognito-")
            let nowhere = signatures + [Self.login, Canary.proxyPassword]
            for canary in nowhere + (isIdentity ? [Self.payload] : [Canary.secret, Canary.token]) {
                #expect(contents.range(of: Data(canary.utf8)) == nil, "\(name)")
            }
        }
    }

    private static func useEverything(_ url: String, _ path: String) async throws {
        setenv("AWS_ENDPOINT_URL", url, 1)
        for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
        setenv("AWS_KINESIS_RECORDER_DIR", path, 1)
        AWSDDLog.add(AWSDDTTYLogger.sharedInstance)
        AWSDDLog.sharedInstance.logLevel = .all
        let provider = AWSCognitoCredentialsProvider(
            regionType: .USEast1,
            identityPoolId: "us-east-1:pool",
            identityProviderManager: CanaryLogins()
        )
        let configuration = try #require(AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider))
        AWSKinesisRecorder.register(with: configuration, forKey: "canary")
        let recorder = try #require(AWSKinesisRecorder(forKey: "canary"))
        var things: [Any] = [provider, provider.identityProvider, configuration, recorder]
        for stream in ["refused", "refused", "accepted", "behind a proxy"] {
            if stream == "behind a proxy" { setenv("http_proxy", "http://user:\(Canary.proxyPassword)@127.0.0.1:1", 1) }
            things.append(try #require(recorder.saveRecord(Data(payload.utf8), streamName: stream)))
            let submit = try #require(recorder.submitAllRecords())
            if let error = await submit.failure() { things += [error, error.userInfo, error.localizedDescription] }
            things.append(submit)
        }
        let credentials = provider.credentials()
        _ = try await credentials.value
        things += [credentials, credentials.result as Any]
        for thing in things {
            print(thing, String(reflecting: thing))
            dump(thing)
        }
        AWSDDLog.flushLog()
    }
}

private final class CanaryLogins: NSObject, AWSIdentityProviderManager {
    func logins() -> AWSTask<NSDictionary> {
        AWSTask(result: ["accounts.example.com": "canary-login-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"])
    }
}
