import AWSCognito
import AWSKinesis
import Foundation
import OldCallersSwift6
import RecorderTestSupport
import Testing

/// Programs that moved to Swift 6 mode and kept the SDK's tasks.
@Suite struct SwiftSixTests {
    @Test func `an actor that owns a recorder saves and sends`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let store = EventStore(key: "actor")
            var counts = [try await store.add("a", to: place.stream)]
            counts.append(try await store.add("b", to: place.stream))
            let bytes = try await store.send()
            #expect(counts == [1, 2] && bytes == 0)
        }
        #expect(try await stage.kinesis() == ["a", "b"])
    }

    @Test func `a model on the main actor follows an upload`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let model = await UploadModel()
            await model.upload(["x", "y"], to: place.stream)
            #expect(await model.state == "sent")
            await model.upload(["z"], to: "missing")
            #expect(await model.state == AWSFirehoseErrorDomain)
        }
        #expect(try await stage.firehose() == "xy")
    }

    @Test func `a continuation around a task ends with its outcome`() async throws {
        try await AWSTask<AnyObject>(result: "x").finished()
        let fault = NSError(domain: "task", code: 1)
        let error = await failure { try await AWSTask<AnyObject>(error: fault).finished() } as NSError?
        #expect(error == fault)
    }

    @Test func `a completion handler that is Sendable is called after the submit`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let error = await withCheckedContinuation { continuation in
                send(["1", "2"], to: place.stream) { continuation.resume(returning: $0) }
            }
            #expect(error == nil)
        }
        #expect(try await stage.kinesis() == ["1", "2"])
    }

    @Test func `recorders in a task group each deliver`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let count = try await sendInParallel(["k1", "k2", "k3"], to: place.stream)
            #expect(count == 3)
        }
        #expect(try await stage.kinesis().sorted() == ["k1", "k2", "k3"])
    }

    @Test func `a submit in a cancelled Swift task throws, and a missing stream is told by its code`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            #expect(await cancelledSubmit() == "cancelled")
            #expect(await outcome(of: "missing") == "no such stream")
            _ = try await AWSKinesisRecorder.default().removeAllRecords().value
            #expect(await outcome(of: place.stream) == "sent")
        }
    }

    @Test func `keys from async code sign the requests`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            AWSServiceManager.default().defaultServiceConfiguration = AWSServiceConfiguration(
                region: .USEast1,
                credentialsProvider: AsyncKeys()
            )
            #expect(await outcome(of: place.stream) == "sent")
            let shard = try await putAwaited("direct", to: place.stream)
            #expect(shard == "shardId-000000000000")
            #expect(try await putBatchAwaited(["p", "q"], to: place.stream) == 0)
        }
        #expect(try await stage.kinesis() == ["x", "direct"])
        #expect(try await stage.firehose() == "pq")
    }

    @Test func `a threshold is an element of an async stream`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let recorder = try #require(AWSKinesisRecorder.default())
            recorder.notificationByteThreshold = 1
            let bytes = thresholds(of: recorder)
            recorder.saveRecord(Data(count: 100), streamName: place.stream)
            #expect(await bytes.first { _ in true } ?? 0 > 100)
        }
    }

    @Test func `subclasses in Swift 6 mode are used as their superclasses`() async throws {
        await #expect(processExitsWith: .success) {
            let logger = CountingLogger()
            AWSDDLog.sharedInstance.logLevel = .info
            AWSDDLog.add(logger)
            AWSDDLogInfo("counted")
            AWSDDLog.flushLog()
            #expect(logger.messages == 1)
            let helper = ModernHelper(
                regionType: .USEast1,
                identityPoolId: "us-east-1:pool",
                useEnhancedFlow: true,
                identityProviderManager: nil
            )
            let logins = try await helper.logins().value as? [String: String]
            #expect(logins == ["cognito-identity.amazonaws.com": "modern-token"])
        }
    }
}
