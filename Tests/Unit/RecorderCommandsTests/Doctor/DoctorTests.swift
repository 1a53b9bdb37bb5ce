import Foundation
import RecorderCommands
import RecorderTestSupport
import Testing

/// The doctor names what is wrong with a set-up, and finds nothing wrong with one that is right.
@Suite(.timeLimit(.minutes(10))) struct DoctorTests {
    @Test(arguments: WrongSetup.all)
    func `a wrong set-up is named, with its status`(setup: WrongSetup) async throws {
        let service = try DoctorService(clockError: setup.clockError)
        var tool = try Tool(to: service.url)
        let words = try await setup.arrange(&tool)
        let ran = await (try tool.start(["doctor"] + words)).end()
        #expect(ran.out.contains(setup.line.replacingOccurrences(of: "HOME", with: tool.home.path)), "\(ran)")
        #expect(ran.status == setup.status && ran.err == "", "\(ran)")
        #expect(!ran.out.contains(Canary.secret))
        // Each failure comes with what to do about it.
        let lines = ran.out.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("FAIL") } == (setup.status != 0), "\(ran)")
        try? FileManager.default.removeItem(atPath: WrongSetup.memory(tool))
    }

    @Test(arguments: RightSetup.all)
    func `a right set-up gives no failure and no warning, and is left as it is`(setup: RightSetup) async throws {
        let service = try DoctorService()
        var tool = try Tool(to: service.url)
        let words = try await setup.arrange(&tool)
        let before = try tool.files()
        let ran = await (try tool.start(["doctor"] + words)).end()
        #expect(ran.status == 0 && ran.err == "", "\(ran)")
        #expect(!ran.out.contains("FAIL") && !ran.out.contains("warn"), "\(ran)")
        #expect(ran.out.hasSuffix("\nno problems found.\n"), "\(ran)")
        // SQLite adds empty log files to a store that is read.
        let new = try tool.files().subtracting(before)
        #expect(new.allSatisfy { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }, "\(new)")
    }

    /// The user could have any program run as root.
    @Test(.enabled(if: geteuid() == 0, "only root asks for another user"), arguments: ["daemon", "root"])
    func `root runs a unit's credential_process only if the unit runs as root`(user: String) async throws {
        let service = try DoctorService()
        var tool = try Tool(to: service.url)
        let marker = tool.home.path("ran")
        let keys = #"{"Version": 1, "AccessKeyId": "AKIA1", "SecretAccessKey": "secret1"}"#
        try tool.write("keys", "#!/bin/sh\ntouch \(marker)\necho '\(keys)'\n")
        #expect(chmod(tool.home.path("keys"), 0o755) == 0)
        try tool.write("config", "[default]\ncredential_process = \(tool.home.path("keys"))\n")
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] { tool.environment[name] = nil }
        tool.environment["AWS_CONFIG_FILE"] = tool.home.path("config")
        let systemd = try StandInSystemd(in: &tool, user: user, command: "follow app /etc/hostname --submit")
        try systemd.write(from: &tool)
        let ran = try await tool.run("doctor", "--unit", "recorder-test")
        let isRoot = user == "root"
        #expect(FileManager.default.fileExists(atPath: marker) == isRoot, "\(ran)")
        #expect(ran.out.contains("is not run as root, for it is another user's") != isRoot, "\(ran)")
    }

    @Test(arguments: [
        ("https://kinesis.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
        ("https://kinesis.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ("https://kinesis-fips.us-east-1.amazonaws.com", "us-east-1"),
        ("https://kinesis.eu-west-1.api.aws", "eu-west-1"),
        ("https://123456789012.data-kinesis.eu-west-1.amazonaws.com", "eu-west-1"),
        ("https://vpce-0123456789abcdef0-12345678.kinesis.eu-west-1.vpce.amazonaws.com", "eu-west-1"),
        ("https://my-kinesis-1.eu-west-1.elb.amazonaws.com", "eu-west-1"), ("https://kinesis.example.com", "local"),
    ])
    func `a host of AWS of any kind is right for its region`(url: String, region: String) async throws {
        var tool = try Tool(to: url)
        tool.environment["AWS_REGION"] = region
        let ran = try await tool.run("doctor", "--offline")
        #expect(ran.status == 0 && ran.out.hasSuffix("\nno problems found.\n"), "\(ran)")
    }

    @Test func `each stream of an agent's configuration is checked, and each of its services`() async throws {
        let service = try DoctorService()
        let tool = try Tool(to: service.url)
        let flows =
            #"{"filePattern": "/etc/host*", "kinesisStream": "a"}, {"filePattern": "/etc/host*", "deliveryStream": "b"}"#
        try tool.write("agent.json", #"{"cloudwatch.emitMetrics": false, "flows": [\#(flows)]}"#)
        let ran = try await tool.run("doctor", "--configuration", tool.home.path("agent.json"))
        #expect(ran.status == 0, "\(ran)")
        #expect(ran.out.contains("ok    stream      a accepts records") && ran.out.contains("firehose:PutRecordBatch"))
        #expect(ran.out.contains("kinesis.db: none yet") && ran.out.contains("firehose.db: none yet"), "\(ran)")
    }

    @Test(arguments: [
        ("A=1\n# B=2\n; C=3\n\n D = 4 \n", ["A": "1", "D": "4"], []),
        ("A=\"two words\"\nB='x=y'\nC=\"open\nD=", ["A": "two words", "B": "x=y", "C": "\"open", "D": ""], []),
        ("A=one \\\ntwo\nB=3", ["A": "one two", "B": "3"], []),
        ("export A=1\nB\n2C=3\nC=4", ["C": "4"], [1, 2, 3]),
    ])
    func `an environment file is read as systemd reads it`(text: String, variables: [String: String], wrong: [Int]) {
        let file = EnvironmentFile(text)
        #expect(file.variables == variables && file.problems.map(\.line) == wrong)
    }

    @Test func `a file system is recognized whatever the width and the sign of its number`() {
        for (number, name) in [
            (Int64(0xEF53), "ext4"), (0x0102_1994, "tmpfs"), (0xFF53_4D42, "cifs"), (0x1234, "0x1234"),
        ] {
            #expect(FileSystemMagic.name(of: number) == name)
            #expect(FileSystemMagic.name(of: Int64(Int32(truncatingIfNeeded: number))) == name)
        }
    }
}

extension Tool {
    /// The paths in the home directory, but for what the tool has printed.
    fileprivate func files() throws -> Set<String> {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: home.path)
        return Set(paths.filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") })
    }
}
