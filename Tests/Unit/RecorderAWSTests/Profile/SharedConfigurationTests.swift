import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

@Suite struct SharedConfigurationTests {
    @Test(
        arguments: [
            ("[default]\nregion = eu-west-1", "default", "eu-west-1"),
            ("[profile a]\nregion=eu-west-1", "a", "eu-west-1"),
            ("[profile\ta ]\r\n  \r\nregion\t=\teu-west-1 \r\n", "a", "eu-west-1"),
            ("\u{FEFF}[default]\nREGION = eu-west-1", "default", "eu-west-1"),
            ("[profile 'two words']\nregion = eu-west-1", "two words", "eu-west-1"),
            ("[profile a] # a comment\nregion = eu-west-1", "a", "eu-west-1"),
            ("# one\n;two\n[default]\n  # three\nregion = eu-west-1\n   ; four\n", "default", "eu-west-1"),
            ("[default]\nregion = first\nregion = last", "default", "last"),
            ("[profile a]\nregion = x\n[profile b]\n[profile a]\noutput = json", "a", "x"),
            ("[default]\nregion = x\n[profile default]\nregion = y\n[default]\nregion = z", "default", "y"),
            ("[default]\nregion = a # no comment", "default", "a # no comment"),
            ("[default]\nregion = a = b", "default", "a = b"),
            ("[default]\nregion: eu-west-1", "default", "eu-west-1"),
            ("[default]\nregion :a = b", "default", "a = b"),
            ("[default]\nregion = a:b", "default", "a:b"),
            ("[default]\nregion = one\n  two", "default", "one\ntwo"),
            ("[profile it's]\nregion = z\n[default]\nregion = ü", "default", "ü"),
            ("[default]\nregion =", "default", nil),
            ("  [default]\n  output = json\n  region = pasted\n    in", "default", "pasted\nin"),
        ] as [(String, String, String?)]
    )
    func `a config file is read as the AWS CLI reads it`(text: String, profile: String, region: String?) throws {
        let files = try ProfileFiles(config: text)
        let shared = try SharedConfiguration(files.environment())
        #expect(try shared.profile(profile)["region"] == region)
    }

    @Test(arguments: ["[a]\nregion = x", "[profile a b]\nregion = x", "[preview]\nprofile = a"])
    func `a section of a config file without the prefix profile is not a profile`(text: String) throws {
        let shared = try SharedConfiguration(try ProfileFiles(config: text).environment())
        #expect(throws: ConfigurationFailure.self) { try shared.profile("a") }
    }

    @Test func `the credentials file has profiles without prefix, and its settings take precedence`() throws {
        let files = try ProfileFiles(
            config: "[profile a]\nregion = x\noutput = text",
            credentials: "[a]\nregion = y\n[profile b]\nregion = z"
        )
        let shared = try SharedConfiguration(files.environment())
        #expect(try shared.profile("a")["region"] == "y")
        #expect(try shared.profile("a")["output"] == "text")
        #expect(throws: ConfigurationFailure.self) { try shared.profile("b") }
    }

    @Test func `the files are in HOME unless variables name others; without both there are none`() throws {
        let home = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: home.path(".aws"), withIntermediateDirectories: false)
        try Data("[default]\nregion = home".utf8).write(to: URL(fileURLWithPath: home.path(".aws/config")))
        try Data("[default]\nregion = other".utf8).write(to: URL(fileURLWithPath: home.path("other")))
        func region(_ environment: [String: String]) throws -> String? {
            try SharedConfiguration(environment).profileInUse()?["region"]
        }
        #expect(try region(["HOME": home.path]) == "home")
        #expect(try region(["HOME": home.path, "AWS_CONFIG_FILE": "~/other"]) == "other")
        #expect(try region(["HOME": home.path, "AWS_CONFIG_FILE": home.path("none")]) == nil)
        #expect(try region([:]) == nil)
    }

    @Test(
        arguments: [
            ("region = canary", 1, "before the first section"),
            ("[default]\n\ncanary", 3, "no \"=\""),
            ("[default]\n= canary", 2, "no name"),
            ("[default]\n: canary", 2, "no name"),
            ("[default]\ns3 =\n  canary: x", 3, "no \"=\""),
            ("[default]\nregion = canary\u{0}", 2, "NUL"),
            ("[default\nregion = canary", 1, "must end with \"]\""),
            ("[default]\n  canary", 2, "no \"=\""),
            ("[default]\ns3 =\n  canary", 3, "no \"=\""),
            ("[default]\na = b\n[profile b]\n  canary", 4, "no \"=\""),
        ] as [(String, Int, String)]
    )
    func `the error for a malformed line has its file and number, and does not quote it`(
        text: String,
        line: Int,
        word: String
    ) throws {
        for files in [try ProfileFiles(config: text), try ProfileFiles(credentials: text)] {
            let failure = #expect(throws: ConfigurationFailure.self) { try SharedConfiguration(files.environment()) }
            let message = failure?.message ?? ""
            #expect(message.hasPrefix(files.directory.path) && message.contains(", line \(line): "), "\(message)")
            #expect(message.contains(word), "\(message)")
            #expect(!message.contains("canary"))
        }
    }

    @Test func `the error for a file that is unreadable, not text or too long has its name`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path("file")
        func message() -> String? {
            #expect(throws: ConfigurationFailure.self) { try SharedConfiguration(["AWS_CONFIG_FILE": file]) }?.message
        }
        try Data([0x5B, 0xFF, 0xFE]).write(to: URL(fileURLWithPath: file))
        #expect(message() == "\(file) is not text in UTF-8.")
        try Data(count: 1 << 20 + 1).write(to: URL(fileURLWithPath: file))
        #expect(message() == "\(file) is longer than 1048576 bytes.")
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(message() == "\(file) cannot be read: it is a directory. Name a regular file.")
    }

    @Test func `the profile is the given one, else that of AWS_DEFAULT_PROFILE, else that of AWS_PROFILE`() throws {
        let files = try ProfileFiles(config: "[default]\n[profile a]\n[profile b]\n")
        func name(_ variables: [String: String], given: String? = nil) throws -> String? {
            try SharedConfiguration(files.environment(variables), profile: given).profileInUse()?.name
        }
        let both = ["AWS_DEFAULT_PROFILE": "a", "AWS_PROFILE": "b"]
        #expect(try name(both) == "a" && name(both, given: "default") == "default")
        #expect(try name(["AWS_DEFAULT_PROFILE": "", "AWS_PROFILE": "b"]) == "b" && name([:]) == "default")
        let failure = #expect(throws: ConfigurationFailure.self) { try name(["AWS_DEFAULT_PROFILE": "c"]) }
        #expect(failure?.message.hasPrefix("AWS_DEFAULT_PROFILE: There is no profile \"c\"") == true)
        let typed = #expect(throws: ConfigurationFailure.self) { try name(both, given: "c") }
        #expect(typed?.message.hasPrefix("There is no profile \"c\"") == true)
    }

    @Test func `the error for an unknown profile lists the existing ones and the files`() throws {
        let files = try ProfileFiles(
            config: "[profile b]\n[default]",
            credentials: "[a]\naws_secret_access_key = canary"
        )
        let shared = try SharedConfiguration(files.environment(["AWS_PROFILE": "typo\u{1B}"]))
        let failure = #expect(throws: ConfigurationFailure.self) { try shared.profileInUse() }
        #expect(
            failure?.message == "AWS_PROFILE: There is no profile \"typo\\u{1b}\" in \(files.config) or "
                + "\(files.credentials). There are: a, b, default."
        )
        let empty = try SharedConfiguration(["AWS_PROFILE": "a"])
        #expect(
            #expect(throws: ConfigurationFailure.self) { try empty.profileInUse() }?.message
                == "AWS_PROFILE: There is no profile \"a\" in any file, since HOME is not set. There are no profiles at all."
        )
    }

    @Test func `any file is read, or refused with a line number, and never quoted`() throws {
        let pieces = [
            "[", "]", "=", "\n", "\r\n", " ", "\t", "#", ";", "'", "\"", "\\", "canary", "default", "profile ",
            "services ", "ü",
            "\u{0}", "\u{FEFF}", "\u{2028}", "🏳️‍🌈",
        ]
        let files = try ProfileFiles()
        for number in 0..<2000 {
            var seed = UInt64(number)
            let text = (0..<number % 60).map { _ in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return pieces[Int(seed >> 33) % pieces.count]
            }.joined()
            try files.write(text, to: number.isMultiple(of: 2) ? files.config : files.credentials)
            do throws(ConfigurationFailure) {
                let shared = try SharedConfiguration(files.environment())
                _ = try shared.profileInUse()
            } catch {
                #expect(
                    error.message.contains(", line ") && !error.message.contains("canary"),
                    "\(text.debugDescription)"
                )
            }
        }
    }

    @Test func `neither description nor dump shows a setting`() throws {
        let files = try ProfileFiles(credentials: "[default]\naws_secret_access_key = canary")
        let shared = try SharedConfiguration(files.environment())
        let profile = try shared.profile("default")
        var text = "\(shared) \(profile)"
        dump(shared, to: &text)
        dump(profile, to: &text)
        #expect(!text.contains("canary"))
    }
}
