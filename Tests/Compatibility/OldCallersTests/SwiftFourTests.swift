import AWSKinesis
import Foundation
import OldCallersSwift4
import RecorderTestSupport
import Testing

/// Programs of Swift 2 to 4, in language mode 4.
@Suite struct SwiftFourTests {
    @Test func `blocks that return Any! get a guest's identity, and the chain after them delivers`() async throws {
        let stage = try await Stage()
        let pool = try await stage.service.createIdentityPool()
        await #expect(processExitsWith: .success) { [place = stage.place as Place, pool = pool as String] in
            place.enter()
            let app = FirehoseApp()
            let identity = await answer { app.configure(poolId: pool, completion: $0) }
            #expect(identity?.hasPrefix("us-east-1:") == true)
            #expect(app.cognitoId == identity)
            let error = await answer { app.record(lines: ["a", "b"], stream: place.stream, completion: $0) }
            #expect(error == nil)
            #expect(await answer { app.recordByKey(line: "c", stream: place.stream, completion: $0) } == nil)
        }
        #expect(try await stage.firehose() == "abc")
    }

    @Test func `a timer's submit continues on the main thread by the older executors`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let keys = FourKeys(accessKey: Canary.accessKey, secretKey: Canary.secret)
            let uploader = TimerUploader(
                configuration: AWSServiceConfiguration(region: .USEast1, credentialsProvider: keys)
            )
            _ = try await uploader.log(["event": "tap"], stream: place.stream).value
            #expect(await answer { uploader.timerFired(completion: $0) } == 0)
            #expect(uploader.uploads == 1)
            #expect(keys.invalidations == 0)
        }
        #expect(try await stage.kinesis() == [#"{"event":"tap"}"#])
    }

    @Test func `the names of SDK 2.3 save, submit and continue as they did`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            SwiftTwoLogger.setUp(accessKey: Canary.accessKey, secretKey: Canary.secret)
            let logger = SwiftTwoLogger()
            let texts = ["one", "two"]
            #expect(await answer { logger.saveAndSubmit(texts, stream: place.stream, completion: $0) })
            #expect(logger.failures.isEmpty)
            _ = try await logger.save("three", stream: place.stream).value
            #expect(await answer { logger.submitInBackground(completion: $0) } == 0)
        }
        #expect(try await stage.kinesis() == ["one", "two", "three"])
    }

    @Test func `the class methods of SDK 2.3 register a recorder and remove it`() throws {
        let configuration = try #require(AWSServiceConfiguration(region: .USEast1, credentialsProvider: nil))
        #expect(SwiftTwoRegistry.register(configuration) != nil)
        #expect(SwiftTwoRegistry.unregister() == nil)
    }

    @Test func `a completion source by its older names completes once`() {
        let download = SwiftTwoDownload()
        #expect(download.didFinish("text"))
        #expect(!download.didFail(NSError(domain: "late", code: 1)))
        #expect(download.start().result as? String == "text")
    }

    @Test func `a token by its older names cancels the block that waits`() async {
        let cancellation = SwiftTwoCancellation()
        #expect(await answer { cancellation.run(completion: $0) })
        #expect(cancellation.observed == 1)
    }

    @Test func `the guide's chain with implicitly unwrapped blocks delivers`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let app = GuideFourApp()
            let (count, error) = await answer { done in
                app.start(stream: place.stream) { done(($0, $1)) }
            }
            #expect(count == 10 && error == nil)
        }
        #expect(try await stage.kinesis() == (0..<10).map { String(format: "TestString-%02d", $0) })
    }

    @Test func `tasks in an NSMutableArray are waited for`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let recorder = try #require(AWSKinesisRecorder.default())
            let collector = ArrayCollector()
            for text in ["x", "y"] { collector.add(recorder, text, stream: place.stream) }
            #expect(await answer { collector.finish(recorder, completion: $0) })
        }
        #expect(try await stage.kinesis() == ["x", "y"])
    }

    @Test func `logins of NSString sign a user in`() async throws {
        let signIn = try await SignIn()
        await #expect(processExitsWith: .success) { [user = signIn.place as SignInPlace] in
            user.enter()
            let manager = FourTokens(tokens: ["graph.facebook.com": user.token as NSString])
            let error = try await user.submit(user.provider(manager))
            #expect(error == nil)
        }
        try await signIn.expectRecord(of: ["graph.facebook.com": signIn.place.token])
    }
}
