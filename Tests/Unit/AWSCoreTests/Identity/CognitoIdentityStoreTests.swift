import AWSCore
import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CognitoIdentityStoreTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var files: [String] {
        get throws {
            let all = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            return all.filter { $0.hasSuffix(".json") }.map { directory.path($0) }
        }
    }

    @Test func `identity and keys are kept after the provider is released`() async throws {
        let pool = try CognitoPoolServer()
        _ = try await pool.provider(state: directory.path).credentials().value
        let next = pool.provider(state: directory.path)
        #expect(next.identityId == "us-east-1:id-1")
        let credentials = try await next.credentials().value
        #expect(credentials?.secretKey == Canary.secret)
        #expect(credentials?.expiration == Date(timeIntervalSince1970: 4_102_444_800))
        #expect(pool.calls.count == 2)
    }

    @Test func `two providers of one pool share one guest`() async throws {
        let pool = try CognitoPoolServer()
        let first = pool.provider(state: directory.path)
        let second = pool.provider(state: directory.path)
        _ = try await first.getIdentityId().value
        #expect(try await second.getIdentityId().value == "us-east-1:id-1")
        #expect(pool.calls == ["GetId"])
    }

    @Test func `only this user can read the file and its directory`() async throws {
        let pool = try CognitoPoolServer()
        _ = try await pool.provider(state: directory.path).credentials().value
        let file = try #require(try files.first)
        #expect(try files.count == 1)
        #expect(try permissions(file) == 0o600)
        #expect(try permissions(URL(fileURLWithPath: file).deletingLastPathComponent().path) == 0o700)
        #expect(file.contains("com.amazonaws.AWSCognitoCredentialsProvider/cognito-sha256."))
    }

    @Test func `clearing the keychain removes the file, clearing the keys removes the keys`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider(state: directory.path)
        _ = try await provider.credentials().value
        provider.clearCredentials()
        let text = try String(contentsOfFile: try #require(try files.first), encoding: .utf8)
        #expect(text.contains("id-1") && !text.contains("accessKey"))
        provider.clearKeychain()
        #expect(try files.isEmpty)
    }

    @Test func `users do not share keys`() async throws {
        let pool = try CognitoPoolServer()
        let user = Logins(["accounts.google.com": "jwt"])
        _ = try await pool.provider(manager: user, state: directory.path).credentials().value
        _ = try await pool.provider(state: directory.path).credentials().value
        #expect(pool.calls == ["GetId", "GetCredentialsForIdentity", "GetCredentialsForIdentity"])
        let text = try String(contentsOfFile: try #require(try files.first), encoding: .utf8)
        #expect(!text.contains("jwt"))
    }

    @Test func `stored keys are renewed when less than ten minutes are left`() async throws {
        let pool = try CognitoPoolServer(expiration: 10_000)
        let clock = Clock(6_400)
        _ = try await pool.provider(state: directory.path, now: clock.now).credentials().value
        clock.seconds = 10_000 - 601
        _ = try await pool.provider(state: directory.path, now: clock.now).credentials().value
        #expect(pool.calls.count == 2)
        clock.seconds = 10_000 - 599
        _ = try await pool.provider(state: directory.path, now: clock.now).credentials().value
        #expect(pool.calls.count == 3)
    }

    @Test func `keys from the future are not used: the clock was set back`() async throws {
        let pool = try CognitoPoolServer()
        let clock = Clock(1_000_000)
        _ = try await pool.provider(state: directory.path, now: clock.now).credentials().value
        clock.seconds = 0
        _ = try await pool.provider(state: directory.path, now: clock.now).credentials().value
        #expect(pool.calls.count == 3)
    }

    @Test(arguments: ["", "{", "[]", #"{"keys":{"accessKey":"A"}}"#, String(repeating: "x", count: 100_000)])
    func `a damaged file costs a new guest identity, and nothing else`(contents: String) async throws {
        let pool = try CognitoPoolServer()
        _ = try await pool.provider(state: directory.path).credentials().value
        try Data(contents.utf8).write(to: URL(fileURLWithPath: try #require(try files.first)))
        let provider = pool.provider(state: directory.path)
        #expect(try await provider.credentials().value != nil)
        #expect(provider.identityId == "us-east-1:id-2")
        #expect(pool.provider(state: directory.path).identityId == "us-east-1:id-2")
    }

    @Test func `a link in place of the file is not followed`() async throws {
        let pool = try CognitoPoolServer()
        _ = try await pool.provider(state: directory.path).credentials().value
        let file = try #require(try files.first)
        let elsewhere = directory.path("cognito-elsewhere.json")
        try FileManager.default.moveItem(atPath: file, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: elsewhere)
        #expect(pool.provider(state: directory.path).identityId == nil)
    }

    @Test func `a directory below a link works, and a file that others can read becomes private`() async throws {
        let pool = try CognitoPoolServer()
        let link = directory.path("link")
        #expect(mkdir(directory.path("real"), 0o755) == 0)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real")
        _ = try await pool.provider(state: link).credentials().value
        let file = try #require(try files.first { $0.contains("/real/") })
        #expect(chmod(file, 0o644) == 0)
        #expect(pool.provider(state: link).identityId == "us-east-1:id-1")
        #expect(try permissions(file) == 0o600)
    }

    @Test func `without a directory the identity lasts as long as the provider`() async throws {
        let pool = try CognitoPoolServer()
        let provider = pool.provider()
        _ = try await provider.credentials().value
        #expect(provider.identityId != nil)
        #expect(pool.provider().identityId == nil)
    }

    private func permissions(_ path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}

/// A clock that changes only when it is set.
final class Clock: Sendable {
    private let time: Locked<Double>

    init(_ seconds: Double) {
        time = Locked(seconds)
    }

    var seconds: Double {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    var now: @Sendable () -> Date {
        { Date(timeIntervalSince1970: self.seconds) }
    }
}

/// A flag that a test changes while a server runs.
final class Switch: Sendable {
    private let state: Locked<Bool>

    init(_ isOn: Bool) {
        state = Locked(isOn)
    }

    var isOn: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension AWSTask {
    /// The task's error, as code for the AWS SDK sees it.
    func failure() async -> NSError? {
        await RecorderTestSupport.failure { try await value }.map { $0 as NSError }
    }
}
