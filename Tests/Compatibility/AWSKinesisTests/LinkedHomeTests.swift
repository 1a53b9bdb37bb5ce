import AWSKinesis
import Foundation
import RecorderAWS
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// The default recorders in a home directory that is a symbolic link.
@Suite struct LinkedHomeTests {
    @Test
    func `the default recorders of a test keep their records in a temporary directory, not in the home directory`()
        async
    {
        // Variables and the log are the whole process's.
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            for name in ["STATE_DIRECTORY", "XDG_STATE_HOME", "AWS_KINESIS_RECORDER_DIR"] { unsetenv(name) }
            for name in ["HOME", "TMPDIR"] {
                let path = directory.path(name)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                setenv(name, path, 1)
            }
            let lines = Locked<[String]>([])
            RecorderLog.replaceSink { line in lines.withLock { $0.append(line) } }
            let data = Data("kept".utf8)
            _ = try await AWSKinesisRecorder.default().saveRecord(data, streamName: "stream").value
            _ = try await AWSFirehoseRecorder.default().saveRecord(data, streamName: "stream").value
            #expect(try FileManager.default.subpathsOfDirectory(atPath: directory.path("HOME")) == [])
            let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path("TMPDIR"))
            for name in ["kinesis.db", "firehose.db"] {
                #expect(names.count { $0.hasPrefix("recorder-tests.") && $0.hasSuffix("/\(name)") } == 1)
            }
            let said = lines.withLock { $0 }
            #expect(said.count == 1 && said.first?.contains("Set AWS_KINESIS_RECORDER_DIR") == true, "\(said)")
        }
    }

    @Test func `the default recorders keep their records in a directory below a link`() async throws {
        // Variables are the whole process's.
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let (home, link) = (directory.path("users/me"), directory.path("home"))
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "users/me")
            setenv("AWS_KINESIS_RECORDER_DIR", "\(link)/state", 1)
            let data = Data("kept".utf8)
            _ = try await AWSKinesisRecorder.default().saveRecord(data, streamName: "stream").value
            _ = try await AWSFirehoseRecorder.default().saveRecord(data, streamName: "stream").value
            #expect(AWSKinesisRecorder.default().diskBytesUsed > 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(home)/state")
            for name in ["kinesis.db", "firehose.db"] { #expect(names.contains(name)) }
        }
    }

    @Test func `a store directory below a link works, and the error names a broken link`() async throws {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let link = directory.path("link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path("real"))
            AWSAbstractKinesisRecorder.storeDirectory = URL(string: "https://example.com\(link)")
            func save() -> AWSTask<AnyObject> {
                AWSKinesisRecorder.default().saveRecord(Data("kept".utf8), streamName: "stream")
            }
            let address = await save().failure()
            #expect(address?.localizedDescription.contains("is not a file URL") == true)
            AWSAbstractKinesisRecorder.storeDirectory = URL(fileURLWithPath: "\(link)/records")
            let error = await save().failure()
            #expect(error?.localizedDescription.contains("\(link) is a symbolic link to") == true)
            try FileManager.default.createDirectory(atPath: directory.path("real"), withIntermediateDirectories: false)
            _ = try await save().value
            #expect(FileManager.default.fileExists(atPath: directory.path("real/records/kinesis.db")))
        }
    }
}
