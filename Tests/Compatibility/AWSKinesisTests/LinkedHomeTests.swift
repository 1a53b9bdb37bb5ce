import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// The default recorders in a home directory that is a symbolic link.
@Suite struct LinkedHomeTests {
    @Test func `the default recorders keep their records in a home that is a link`() async throws {
        // The home directory is set per process.
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let (home, link) = (directory.path("users/me"), directory.path("home"))
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "users/me")
            for name in ["STATE_DIRECTORY", "XDG_STATE_HOME", "AWS_KINESIS_RECORDER_DIR"] { unsetenv(name) }
            setenv("HOME", link, 1)
            let data = Data("kept".utf8)
            _ = try await AWSKinesisRecorder.default().saveRecord(data, streamName: "stream").value
            _ = try await AWSFirehoseRecorder.default().saveRecord(data, streamName: "stream").value
            #expect(AWSKinesisRecorder.default().diskBytesUsed > 0)
            let state = "\(home)/.local/state"
            let names = try FileManager.default.subpathsOfDirectory(atPath: state)
            for name in ["kinesis.db", "firehose.db"] { #expect(names.contains { $0.hasSuffix("/\(name)") }) }
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
