import AWSCore
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// What a program shows on standard error when its user silently becomes a guest. Each test in a new process, because the log
/// is shared.
@Suite(.timeLimit(.minutes(10))) struct LoginsWatchTests {
    /// The warnings about lost logins in a process's standard error.
    private func warnings(_ result: ExitTest.Result?) throws -> [String] {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        return text.split(separator: "\n").map(String.init).filter { $0.contains("gave no logins") }
    }

    @Test func `logins that end empty after some are logged once, until there are some again`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let pool = try CognitoPoolServer()
            let manager = Logins()
            let provider = pool.provider(manager: manager)
            for logins in [[:], ["accounts.google.com": "planted-jwt"], [:], [:], ["accounts.google.com": "two"], [:]] {
                manager.given.withLock { $0 = logins }
                _ = try await provider.credentials().value
            }
        }
        let lines = try warnings(result)
        #expect(lines.count == 2)
        #expect(
            lines.first?.hasPrefix("recorder: warning: The identity provider manager of the pool us-east-1:") == true
        )
        #expect(lines.allSatisfy { $0.contains("clearKeychain()") && !$0.contains("planted-jwt") })
    }

    @Test func `a backend's token that becomes nil is logged, too`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let pool = try CognitoPoolServer()
            let helper = FadingToken()
            let provider = AWSCognitoCredentialsProvider(
                regionType: .USEast1,
                identityProvider: helper,
                environment: pool.environment()
            )
            for isSignedIn in [true, false, false] {
                helper.isSignedIn.isOn = isSignedIn
                provider.clearCredentials()
                _ = try await provider.credentials().value
            }
        }
        #expect(try warnings(result).count == 1)
    }

    @Test func `a guest, and a user who signs out, are not logged`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let pool = try CognitoPoolServer()
            let manager = Logins(["accounts.google.com": "jwt"])
            let provider = pool.provider(manager: manager)
            _ = try await provider.credentials().value
            manager.given.withLock { $0 = [:] }
            provider.clearKeychain()
            _ = try await provider.credentials().value
            _ = try await pool.provider().credentials().value
        }
        #expect(try warnings(result).isEmpty)
    }
}

private final class FadingToken: AWSCognitoCredentialsProviderHelper, @unchecked Sendable {
    let isSignedIn = Switch(true)

    override var identityPoolId: String { CognitoPoolServer.poolID }

    override func token() -> AWSTask<NSString> {
        identityId = "us-east-1:backend-1"
        return AWSTask(result: isSignedIn.isOn ? "token" : nil)
    }
}
