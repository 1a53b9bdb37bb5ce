import AWSCore
import Foundation
import RecorderTestSupport
import Testing

struct AWSDDFileLoggerTests {
    private let directory: TemporaryDirectory
    private let manager: AWSDDLogFileManagerDefault
    private let log = AWSDDLog()

    init() throws {
        directory = try TemporaryDirectory()
        manager = AWSDDLogFileManagerDefault(logsDirectory: directory.path("logs"))
    }

    private func say(_ text: String) {
        let message = AWSDDLogMessage(message: text, level: .all, flag: .info, file: "", line: 0)
        log.log(asynchronous: false, message: message)
    }

    @Test func `lines are written to a file that only this user can read`() throws {
        log.add(AWSDDFileLogger(logFileManager: manager))
        say("one")
        say("two")
        log.flushLog()
        let path = try #require(manager.sortedLogFilePaths.first)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasSuffix(" info one") == true)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `a full file is rotated, and old files are removed`() throws {
        let logger = AWSDDFileLogger(logFileManager: manager)
        #expect(logger.maximumFileSize == 1 << 20)
        #expect(logger.rollingFrequency == 86_400)
        #expect(manager.maximumNumberOfLogFiles == 5)
        logger.maximumFileSize = 100
        manager.maximumNumberOfLogFiles = 2
        log.add(logger)
        for number in 0..<10 { say("\(number) " + String(repeating: "x", count: 60)) }
        #expect(manager.sortedLogFilePaths.count == 3)
        let newest = try String(contentsOfFile: try #require(manager.sortedLogFilePaths.first), encoding: .utf8)
        #expect(newest.contains("info 9 x"))
    }

    @Test func `files beyond the quota are removed`() throws {
        let logger = AWSDDFileLogger(logFileManager: manager)
        logger.maximumFileSize = 100
        manager.logFilesDiskQuota = 250
        log.add(logger)
        for _ in 0..<10 { say(String(repeating: "x", count: 60)) }
        #expect(manager.sortedLogFilePaths.count <= 4)
    }

    @Test func `a directory that cannot be created costs the lines, and nothing else`() throws {
        try Data().write(to: URL(fileURLWithPath: directory.path("file")))
        let blocked = AWSDDLogFileManagerDefault(logsDirectory: directory.path("file/logs"))
        log.add(AWSDDFileLogger(logFileManager: blocked))
        say("lost")
        #expect(blocked.sortedLogFilePaths.isEmpty)
    }

    @Test func `a directory that is a link works`() throws {
        try FileManager.default.createDirectory(atPath: directory.path("real"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: directory.path("link"), withDestinationPath: "real")
        let linked = AWSDDLogFileManagerDefault(logsDirectory: directory.path("link/logs"))
        log.add(AWSDDFileLogger(logFileManager: linked))
        say("one")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("real/logs")).count == 1)
    }

    @Test func `without a home directory, a link or a directory of others in the temporary one costs the lines`() async
    {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            for name in ["HOME", "XDG_STATE_HOME", "STATE_DIRECTORY", "AWS_KINESIS_RECORDER_DIR"] { unsetenv(name) }
            setenv("TMPDIR", directory.path, 1)
            let theirs = directory.path("theirs")
            try FileManager.default.createDirectory(atPath: theirs, withIntermediateDirectories: false)
            let place = directory.path("logs-\(getuid())")
            try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: theirs)
            #expect(AWSDDLogFileManagerDefault().createNewLogFile() == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: theirs) == [])
            try FileManager.default.removeItem(atPath: place)
            #expect(mkdir(place, 0o700) == 0 && chmod(place, 0o777) == 0)
            #expect(AWSDDLogFileManagerDefault().createNewLogFile() == nil)
            rmdir(place)
            #expect(AWSDDLogFileManagerDefault().createNewLogFile() != nil)
        }
    }
}
