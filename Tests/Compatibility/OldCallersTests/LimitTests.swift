import AWSKinesis
import Foundation
import OldCallersSwift5
import RecorderTestSupport
import Testing

/// Limits, notifications and errors as programs use them, in language mode 5.
@Suite struct LimitTests {
    @Test func `an observer in block form gets the stored bytes, as a number`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let recorder = try #require(AWSKinesisRecorder.default())
            let observer = ThresholdObserver(recorder: recorder, threshold: 500)
            _ = try await recorder.saveRecord(Data(count: 100), streamName: place.stream).value
            #expect(observer.bytes.isEmpty)
            _ = try await recorder.saveRecord(Data(count: 1_000), streamName: place.stream).value
            #expect(observer.bytes == [Int(recorder.diskBytesUsed)])
        }
    }

    @Test func `an observer on an operation queue submits at the threshold`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let recorder = try #require(AWSFirehoseRecorder.default())
            var observer: SubmitOnThreshold?
            let error = await answer { done in
                observer = SubmitOnThreshold(recorder: recorder, submitted: done)
                recorder.saveRecord(Data("over".utf8), streamName: place.stream)
            }
            #expect(observer != nil && error == nil)
            #expect(recorder.diskBytesUsed == 0)
        }
        #expect(try await stage.firehose() == "over")
    }

    @Test func `a byte limit keeps the newest records, and the text tells what is stored`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let recorder = try #require(AWSKinesisRecorder.default())
            #expect(storedText(recorder) == "nothing stored" && storedText(nil) == "nothing stored")
            keepNewest(recorder, bytes: 300, days: 30)
            for text in ["1", "2", "3", "4"] {
                _ = try await recorder.saveRecord(Data(text.utf8), streamName: place.stream).value
            }
            #expect(storedText(recorder) == "\(recorder.diskBytesUsed) bytes stored")
            try await recorder.submit()
        }
        #expect(try await stage.kinesis() == ["3", "4"])
    }

    @Test func `errors of saves have the domains and codes that programs compare`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let recorders = [AWSKinesisRecorder.default()!, AWSFirehoseRecorder.default()!]
            for recorder in recorders as [AWSAbstractKinesisRecorder] {
                let save = recorder.saveRecord(Data(count: 262_145), streamName: place.stream)!
                let error = try #require(await save.fault())
                #expect(reaction(to: error) == .split)
                #expect(message(of: error).contains("262"))
                #expect(isTooLarge(save) == (recorder is AWSKinesisRecorder))
            }
            let named = AWSKinesisRecorder.default().saveRecord(Data("x".utf8), streamName: "no such name")!
            #expect(reaction(to: try #require(await named.fault())) == .fixArguments)
        }
    }

    @Test func `errors of submits have the domains and codes that programs compare`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            for recorder in [AWSKinesisRecorder.default()!, AWSFirehoseRecorder.default()!]
                as [AWSAbstractKinesisRecorder]
            {
                recorder.saveRecord(Data("x".utf8), streamName: "missing")
                #expect(reaction(to: try #require(await recorder.submitAllRecords().fault())) == .noSuchStream)
            }
            let closed = try #require(URL(string: "http://127.0.0.1:1"))
            AWSKinesisRecorder.register(with: localConfiguration(url: closed), forKey: "offline")
            let recorder = try #require(AWSKinesisRecorder(forKey: "offline"))
            recorder.saveRecord(Data("x".utf8), streamName: "stream")
            #expect(reaction(to: try #require(await recorder.submitAllRecords().fault())) == .offline)
        }
    }

    @Test(arguments: [
        ("AccessDeniedException", false), ("UnrecognizedClientException", false),
        ("ProvisionedThroughputExceededException", true),
    ])
    func `a service's refusal has the code that programs compare`(code: String, isWait: Bool) async throws {
        let server = try LocalServer { _, _ in .error(400, code, message: "Refused.") }
        let directory = try TemporaryDirectory()
        let place = Place(url: server.url, directory: directory.path, stream: "stream")
        await #expect(processExitsWith: .success) { [place = place as Place, isWait = isWait as Bool] in
            place.enter()
            let configuration = try #require(tunedConfiguration())
            AWSServiceManager.default().defaultServiceConfiguration = configuration
            let recorder = try #require(AWSKinesisRecorder.default())
            recorder.saveRecord(Data("x".utf8), streamName: place.stream)
            let error = try #require(await recorder.submitAllRecords().fault())
            #expect(reaction(to: error) == (isWait ? .wait : .notAllowed), "\(error)")
            #expect(recorder.diskBytesUsed > 0)
        }
    }
}
