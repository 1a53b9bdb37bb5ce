import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// What a program that ignores the tasks of its saves shows on standard error. Each test in a new process, because the log is
/// shared.
@Suite(.timeLimit(.minutes(10))) struct SaveFaultLogTests {
    /// The warnings about saves in a process's standard error.
    private func warnings(_ result: ExitTest.Result?) throws -> [String] {
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        return text.split(separator: "\n").map(String.init).filter { $0.contains(" not saved: ") }
    }

    @Test func `an ignored fault is logged once for each cause and stream`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let recorder = try Recorders.kinesis()
            for _ in 0..<132 { recorder.saveRecord(Data("x".utf8), streamName: "my stream") }
            for _ in 0..<3 { recorder.saveRecord(Data(count: 300_000), streamName: "clicks") }
            recorder.saveRecord(Data("x".utf8), streamName: "clicks", partitionKey: "")
            recorder.saveRecord(nil, streamName: "clicks")
            recorder.saveRecord(Data("x".utf8), streamName: nil)
            _ = try await recorder.saveRecord(Data("good".utf8), streamName: "clicks").value
            #expect(recorder.diskBytesUsed > 0)
        }
        let lines = try warnings(result)
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.hasPrefix("recorder: warning: A record for the stream ") })
        let remedies = [
            "may only hold letters", "Split it or compress it", "partition key", "no data", "name is missing",
        ]
        for (line, remedy) in zip(lines, remedies) { #expect(line.contains(remedy), "\(line)") }
        #expect(lines.first?.contains("\"my stream\"") == true)
    }

    @Test func `the fault of a save of many records names their number and the record`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let recorder = try Recorders.kinesis()
            for _ in 0..<3 { recorder.saveRecords([Data([1]), Data(count: 300_000)], streamName: "clicks") }
        }
        let lines = try warnings(result)
        #expect(lines.count == 1)
        #expect(
            lines.first?.contains("2 records for the stream \"clicks\" were not saved: Record 2 of 2 is 300000 bytes")
                == true
        )
    }

    @Test func `recorders of both services log their own faults`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let (kinesis, firehose) = (try Recorders.kinesis(), try Recorders.firehose())
            kinesis.saveRecord(Data("x".utf8), streamName: "a b")
            firehose.saveRecord(Data("x".utf8), streamName: "a b")
        }
        #expect(try warnings(result).count == 2)
    }

    @Test func `names made from input cannot fill the log, nor forge a line of it`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let recorder = try Recorders.kinesis()
            recorder.saveRecord(Data("x".utf8), streamName: "a\nrecorder: warning: forged was not saved \u{1b}[31m")
            for number in 0..<5_000 { recorder.saveRecord(Data("x".utf8), streamName: "user \(number)") }
        }
        let lines = try warnings(result)
        #expect(lines.count == 100)
        #expect(lines.first?.contains(#"a\u{a}recorder"#) == true)
        #expect(lines.last?.contains("No more warnings of this kind") == true)
        #expect(lines.allSatisfy { !$0.contains("\u{1b}") })
    }
}
