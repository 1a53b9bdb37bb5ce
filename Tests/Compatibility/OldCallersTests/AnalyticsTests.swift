import AWSKinesis
import Foundation
import OldCallersSwift5
import RecorderTestSupport
import Testing

/// Programs around one recorder, in language mode 5.
@Suite struct AnalyticsTests {
    @Test func `a singleton's helper functions and its completion handler deliver`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let analytics = AnalyticsManager.sharedInstance
            _ = try await analytics.track("open", properties: ["count": 1], stream: place.stream).value
            #expect(await answer { analytics.flush(completion: $0) } == nil)
            _ = try await analytics.trackAll(["a", "b"], stream: place.stream)?.value
            analytics.flush()
        }
        #expect(try await stage.kinesis() == [#"{"count":1,"name":"open"}"#, #"{"name":"a"}"#, #"{"name":"b"}"#])
    }

    @Test func `extensions on the recorder save, submit and count`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let recorder = try #require(AWSKinesisRecorder.default())
            _ = try await recorder.save(Click(page: "home"), to: place.stream).value
            #expect(recorder.megabytesUsed > 0)
            let result = await answer { recorder.saveAndSubmit("text", to: place.stream, completion: $0) }
            #expect(throws: Never.self) { try result.get() }
            #expect(recorder.megabytesUsed == 0)
        }
        #expect(try await stage.kinesis() == [#"{"page":"home"}"#, "text"])
    }

    @Test func `a loop of saves and submits delivers every batch in order`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let uploader = BatchUploader(stream: place.stream)
            let lines = (1...7).map { "line \($0)" }
            #expect(await answer { uploader.upload(lines, batchSize: 3, completion: $0) } == nil)
            #expect(uploader.submits == 3)
        }
        #expect(try await stage.firehose() == (1...7).map { "line \($0)\n" }.joined())
    }

    @Test func `a dispatch group waits for saves with partition keys`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let uploader = KeyedUploader()
            let events = ["anna": "in", "ben": "out"]
            #expect(await answer { uploader.upload(events, stream: place.stream, completion: $0) } == 2)
        }
        let records = try await stage.service.kinesisRecords(stage.place.stream)
        #expect(Dictionary(records.map { ($0.partitionKey, $0.text) }) { $1 } == ["anna": "in", "ben": "out"])
    }

    @Test func `a double takes the recorder's place behind a protocol`() async throws {
        let mock = RecorderMock()
        let tracker = Tracker(recorder: mock, stream: "stream")
        #expect(await answer { tracker.track("open", completion: $0) })
        mock.error = NSError(domain: "offline", code: 1)
        #expect(await answer { tracker.track("close", completion: $0) } == false)
        #expect(mock.saved == ["open", "close"] && mock.submits == 2)
    }

    @Test func `both recorders conform to the protocol of a double`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            for recorder in [AWSKinesisRecorder.default()!, AWSFirehoseRecorder.default()!] as [any RecordSaving] {
                let tracker = Tracker(recorder: recorder, stream: place.stream)
                #expect(await answer { tracker.track("open", completion: $0) })
            }
        }
        #expect(try await stage.kinesis() == ["open"])
        #expect(try await stage.firehose() == "open")
    }

    @Test func `a provider of one's own is asked for keys, and its error keeps the records`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let (counting, failing) = (CountingProvider(), FailingProvider())
            for (key, provider) in [("counting", counting), ("failing", failing)]
                as [(String, any AWSCredentialsProvider)]
            {
                AWSKinesisRecorder.register(
                    with: AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider),
                    forKey: key
                )
                let recorder = try #require(AWSKinesisRecorder(forKey: key))
                _ = try await recorder.saveRecord(Data(key.utf8), streamName: place.stream).value
                let error = await recorder.submitAllRecords().fault()
                #expect(error?.domain == (key == "failing" ? "SignIn" : nil))
                #expect((recorder.diskBytesUsed > 0) == (key == "failing"))
            }
            #expect(counting.calls == 1 && counting.invalidations == 0)
        }
        #expect(try await stage.kinesis() == ["counting"])
    }
}
