import AWSCore
import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// This package's own messages; each test in a new process, because the log is shared.
@Suite(.timeLimit(.minutes(10))) struct OwnMessagesTests {
    @Test func `without a logger warnings go to standard error, and nothing else`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            AWSDDLog.sharedInstance.logLevel = .all
            RecorderLog.error("an error")
            RecorderLog.warning("a warning")
            RecorderLog.info("news")
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("recorder: warning: a warning\n"))
        #expect(!text.contains("an error") && !text.contains("news"))
    }

    @Test func `with a logger everything up to the level goes there, and is flushed at exit`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            AWSDDLog.add(AWSDDTTYLogger.sharedInstance)
            RecorderLog.info("before")
            AWSDDLog.sharedInstance.logLevel = .debug
            RecorderLog.warning("a warning")
            RecorderLog.debug("a step\nwith a \u{7}bell")
            RecorderLog.verbose("every step")
            AWSDDLogInfo("my own")
            AWSDDLogVerbose("not mine")
            exit(EXIT_SUCCESS)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("20") }
        #expect(
            lines.map { $0.split(separator: " ").dropFirst().joined(separator: " ") } == [
                "warning a warning", #"debug a step\u{a}with a \u{7}bell"#, "info my own",
            ]
        )
        #expect(try #require(lines.first).prefix(24).wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }

    @Test func `a closed standard error costs the lines, and no more`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            close(STDERR_FILENO)
            RecorderLog.warning("unread")
            AWSDDLog.sharedInstance.logLevel = .all
            AWSDDLog.add(AWSDDTTYLogger.sharedInstance)
            AWSDDLogInfo("nor this")
            AWSDDLog.flushLog()
            exit(7)
        }
    }

    @Test func `the log of the older SDK needs no logger`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            (OldLog.self as any OlderSDK.Type).logEverything()
            #expect(AWSDDLog.sharedInstance.logLevel == .verbose)
            RecorderLog.verbose("every step")
            exit(EXIT_SUCCESS)
        }
        #expect(String(decoding: try #require(result).standardErrorContent, as: UTF8.self).contains("every step"))
    }

    @Test func `a quoted request loses its secrets`() async throws {
        let token = "canary-token-" + String(repeating: "t", count: 40)
        let secret = "canary-secret-" + String(repeating: "s", count: 40)
        let server = try LocalServer { request, _ in
            let token = request.header("X-Amz-Security-Token") ?? ""
            let signature = request.header("Authorization")?.split(separator: "Signature=").last ?? ""
            return .error(403, "AccessDeniedException", message: "no: \(token) \(signature) canary-secret-ssss")
        }
        let call = CallConfiguration(
            region: try Region("us-east-1"),
            endpoint: try Endpoint(url: server.url),
            credentials: StaticCredentials(
                Credentials(accessKeyID: "AKIDAKIDAKIDAKID", secretAccessKey: secret, sessionToken: token)
            )
        )
        let failure = await #expect(throws: ServiceFailure.self) {
            try await AWSServiceCaller(.kinesis, configuration: call).call("PutRecords", body: [])
        }
        let error = try #require(failure).nsError(.general)
        var text = "\(error) \(error.userInfo) \(String(describing: failure))"
        dump(failure, to: &text)
        dump(error, to: &text)
        #expect(text.contains("no: (redacted) (redacted)"))
        #expect(!text.contains("canary-token"))
        let signature = try #require(server.requests[0].header("Authorization")?.split(separator: "Signature=").last)
        #expect(!text.contains(signature))
    }
}

/// Avoids warnings about deprecated names.
private protocol OlderSDK {
    static func logEverything()
}

private enum OldLog: OlderSDK {
    @available(*, deprecated)
    static func logEverything() { AWSLogger.default().logLevel = .verbose }
}
