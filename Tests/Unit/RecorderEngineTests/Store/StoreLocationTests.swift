import RecorderStore
import Testing

@Suite struct StoreLocationTests {
    private func path(_ key: String?, _ environment: [String: String], directory: String? = nil) throws -> String {
        try StoreLocation(
            service: "kinesis",
            key: key,
            directory: directory,
            program: "sender",
            environment: environment
        ).path
    }

    @Test func `the first of the documented locations is used`() throws {
        var environment = ["HOME": "/home/u"]
        let folder = "sender/com.amazonaws.AWSKinesisRecorder/kinesis.db"
        #expect(try path(nil, environment) == "/home/u/.local/state/\(folder)")
        environment["XDG_STATE_HOME"] = "relative/is/ignored"
        #expect(try path(nil, environment) == "/home/u/.local/state/\(folder)")
        environment["XDG_STATE_HOME"] = "/x"
        #expect(try path(nil, environment) == "/x/\(folder)")
        environment["STATE_DIRECTORY"] = "/var/lib/sender:/other"
        #expect(try path(nil, environment) == "/var/lib/sender/\(folder)")
        environment["AWS_KINESIS_RECORDER_DIR"] = "/own"
        #expect(try path(nil, environment) == "/own/kinesis.db")
        #expect(try path(nil, environment, directory: "/api") == "/api/kinesis.db")
    }

    @Test func `without a home directory the error names the variable to set`() {
        let error = #expect(throws: RecorderError.self) { try path(nil, [:]) }
        #expect(error?.message.contains("AWS_KINESIS_RECORDER_DIR") == true)
    }

    @Test func `a relative override is refused`() {
        #expect(throws: RecorderError.self) { try path(nil, ["AWS_KINESIS_RECORDER_DIR": "here"]) }
    }

    @Test func `no key leads outside the directory`() throws {
        let keys = ["../../etc/passwd", "a/b", "nul\0byte", "🦆", "", String(repeating: "k", count: 4_096), ".", ".."]
        for key in keys {
            let file = try path(key, [:], directory: "/d").dropFirst("/d/".count)
            #expect(!file.contains("/") && !file.contains("\0") && file.utf8.count < 100)
            #expect(file.hasPrefix("kinesis-sha256.") && file.hasSuffix(".db"))
        }
    }

    @Test func `a store's files are known by their names, and no other file is taken for one`() throws {
        // The hash of the key begins with "db".
        let hashed = try path("app.183", [:], directory: "/d").dropFirst("/d/".count)
        let parts = [
            "kinesis.db", "kinesis.db-wal", "firehose-a.db.lock", "amplify-kinesis-eu-west-1.db.follow",
            "kinesis.db.rescue-wal",
            "kinesis.db.damaged-17-ab", "\(hashed)", "\(hashed)-shm",
        ]
        let others = [
            "kinesis.log", "kinesis.db.log", "kinesis-x.db.1", "app-kinesis.db", "firehose-sync.db-errors.log",
            "kinesis",
        ]
        #expect(hashed.hasPrefix("kinesis-sha256.db"))
        #expect(
            parts.filter { !StoreLocation.isPart($0[...]) } == []
                && others.filter { StoreLocation.isPart($0[...]) } == []
        )
    }

    @Test func `every key, and the default recorder, has a separate file`() throws {
        let keys: [String?] = [nil, "default", "Default", "kinesis", "a", "A", "a ", "sha256", "é", "e\u{301}"]
        let paths = try keys.map { try path($0, [:], directory: "/d") }
        #expect(Set(paths).count == keys.count)
    }
}
