import AWSCore
import Foundation
import OldCallersSwift5
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// Tasks for work of a program's own, and its loggers, in language mode 5.
@Suite struct TaskFormTests {
    private static let fault = NSError(domain: "step", code: 7)

    @Test func `a function that completes a source elsewhere gives result and error`() async throws {
        #expect(try await loadProfile(named: "anna").value?["name"] as? String == "anna")
        let error = await loadProfile(named: "").fault()
        #expect(error?.domain == "Profile" && error?.code == 404)
        #expect(await answer { waitFor(loadProfile(named: "ben"), completion: $0) } == "ben")
        #expect(await answer { waitFor(loadProfile(named: ""), completion: $0) } == nil)
    }

    @Test func `a protocol's function returns a task of any object`() async throws {
        let uploader = CountingUploader()
        let uploading: any Uploading = uploader
        #expect(try await uploading.upload("text").value as? String == "TEXT")
        #expect(uploader.count == 1)
    }

    @Test func `steps run one after the other, and the first error ends them`() async {
        var ran: [String] = []
        let task = inSequence(["a", "b", "c"]) { name in
            ran.append(name)
            return name == "b" ? AWSTask(error: Self.fault) : AWSTask(result: nil)
        }
        #expect(await task.fault() == Self.fault)
        #expect(ran == ["a", "b"])
    }

    @Test func `a retry after a delay succeeds, or ends with the last error`() async throws {
        var left = 2
        let flaky = retrying(3) {
            left -= 1
            return left < 0 ? AWSTask(result: "done") : AWSTask(error: Self.fault)
        }
        #expect(try await flaky.value as? String == "done")
        let hopeless = retrying(1) { AWSTask(error: Self.fault) }
        #expect(await hopeless.fault() == Self.fault)
    }

    @Test func `executors run blocks where they should`() async {
        let text = await answer { done in
            onMainThread(AWSTask<NSString>(result: "x")) { text in
                dispatchPrecondition(condition: .onQueue(.main))
                done(text)
            }
        }
        #expect(text == "x")
        let path = await answer { throughQueues(AWSTask<NSString>(result: "y"), completion: $0) }
        #expect(path == ["y", "queue", "operations"])
        let counting = CountingExecutor()
        AWSTask<NSString>(result: "z").continueWith(executor: counting.executor) { _ in nil }
        #expect(counting.blocks == 1)
    }

    @Test func `work that is cancelled cleans up once and ends cancelled`() async throws {
        let work = CancellableWork()
        let task = work.start(after: 2_000)
        work.cancel()
        work.cancel()
        let error = await failure { try await task.value }
        #expect(error is CancellationError)
        #expect(task.isCancelled && work.cleanUps == 1)
        #expect(try await CancellableWork().start(after: 0).value as? String == "done")
    }

    @Test func `combined tasks give results in order, all errors, or the first success`() async throws {
        let fine: [AWSTask<AnyObject>] = [AWSTask(result: "a"), AWSTask<AnyObject>(delay: 1).continueWith { _ in "b" }]
        let broken: [AWSTask<AnyObject>] = [AWSTask(error: Self.fault), AWSTask(error: Self.fault)]
        let (texts, none) = await answer { done in results(of: fine) { done(($0, $1)) } }
        #expect(texts == ["a", "b"] && none.isEmpty)
        let (nothing, errors) = await answer { done in results(of: fine + broken) { done(($0, $1)) } }
        #expect(nothing.isEmpty && errors == [Self.fault, Self.fault])
        let (_, single) = await answer { done in results(of: fine + [broken[0]]) { done(($0, $1)) } }
        #expect(single == [Self.fault])
        let racing: [AWSTask<NSString>] = [AWSTask(error: Self.fault), AWSTask(result: "first")]
        #expect(try await first(of: racing).value as? String == "first")
    }

    @Test func `an extension on the task runs after every outcome`() {
        var ended = 0
        for task: AWSTask<NSString> in [AWSTask(result: "x"), AWSTask(error: Self.fault), AWSTask.cancelled()] {
            task.finally { ended += 1 }
        }
        #expect(ended == 3)
    }

    @Test func `a logger of one's own gets formatted messages from its level on`() async {
        await #expect(processExitsWith: .success) {
            let logger = MemoryLogger()
            startLogging(to: logger)
            AWSDDLogError("broken", file: "/src/App.swift")
            AWSDDLogInfo("fine", file: "/src/App.swift")
            AWSDDLogVerbose("chatter", file: "/src/App.swift")
            AWSDDLog.flushLog()
            #expect(logger.lines.filter { $0.contains("App:") } == ["ERROR App: broken", "INFO App: fine"])
            #expect(logger.loggerName == "com.example.memory")
        }
    }

    @Test func `a logger that conforms itself gets errors only, until it is removed`() async {
        await #expect(processExitsWith: .success) {
            let seen = Locked<[String]>([])
            AWSDDLog.sharedInstance.logLevel = .all
            let logger = forwardErrors { _, text in seen.withLock { $0.append(text) } }
            AWSDDLogWarn("careful")
            AWSDDLogError("broken")
            AWSDDLog.remove(logger)
            AWSDDLogError("later")
            AWSDDLog.flushLog()
            #expect(seen.withLock { $0 } == ["broken"])
        }
    }

    @Test func `a file logger writes to the directory it was given`() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            AWSDDLog.sharedInstance.logLevel = .info
            let logger = fileLogger(directory: path)
            AWSDDLogInfo("to the file")
            AWSDDLog.flushLog()
            logger.flush()
            let file = try #require(try FileManager.default.contentsOfDirectory(atPath: path).first)
            #expect(try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8).contains("to the file"))
        }
    }
}
