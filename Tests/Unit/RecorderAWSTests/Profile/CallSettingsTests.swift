import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

/// Retries and the user agent's application ID, from environment variables and profiles.
@Suite struct CallSettingsTests {
    private func settings(_ profile: String = "", _ environment: [String: String] = [:]) throws -> MachineSettings {
        let files = try ProfileFiles(config: "[default]\n\(profile)\n")
        return try MachineSettings(files.environment(environment))
    }

    @Test func `a variable takes precedence over the profile, and an empty one counts as missing`() throws {
        let profile = "max_attempts = 7\nretry_mode = legacy\nsdk_ua_app_id = file"
        let both = try settings(
            profile,
            ["AWS_MAX_ATTEMPTS": "2", "AWS_RETRY_MODE": "adaptive", "AWS_SDK_UA_APP_ID": "variable"]
        )
        #expect(try both.maximumRetries() == 1 && both.retryMode == .adaptive)
        #expect(both.applicationID == "variable")
        let file = try settings(
            profile,
            ["AWS_MAX_ATTEMPTS": "", "AWS_RETRY_MODE": "", "AWS_SDK_UA_APP_ID": ""]
        )
        #expect(try file.maximumRetries() == 6 && file.retryMode == .legacy)
        #expect(file.applicationID == "file")
        let none = try settings()
        #expect(try none.maximumRetries() == nil && none.retryMode == nil)
        #expect(none.applicationID == nil)
    }

    @Test(arguments: ["0", "-1", "three", "2.5", "1e3", "99999999999999999999"])
    func `a number of attempts that is none is an error with its name and value`(value: String) throws {
        #expect(throws: ConfigurationFailure.self) { try settings("", ["AWS_MAX_ATTEMPTS": value]).maximumRetries() }
        #expect {
            try settings("max_attempts = \(value)").maximumRetries()
        } throws: { error in
            "\(error)".hasPrefix("max_attempts of the profile \"default\" in ")
                && "\(error)".hasSuffix(
                    " is \"\(value)\": use a whole number of attempts, 1 or more; 1 means no retries."
                )
        }
    }

    @Test(arguments: [("Standard", RetryMode.standard), ("LEGACY ", .legacy), ("aDaptive", .adaptive)])
    func `a retry mode may be in any case`(value: String, mode: RetryMode) throws {
        #expect(try settings("", ["AWS_RETRY_MODE": value]).retryMode == mode)
        #expect(try settings("retry_mode = \(value)").retryMode == mode)
    }

    /// In a new process, because a warning is logged once in each.
    @Test func `an unknown retry mode is ignored, with one warning that has its name, its value and the modes`()
        async throws
    {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for _ in 0..<3 {
                var configuration = CallConfiguration(
                    region: try Region("us-east-1"),
                    endpoint: try Endpoint(url: "http://127.0.0.1:1"),
                    credentials: AnonymousCredentials()
                )
                let environment = ["AWS_RETRY_MODE": "other", "AWS_MAX_ATTEMPTS": "2"]
                try configuration.apply(try MachineSettings(environment))
                try #require(configuration.maximumRetries == 1)
            }
        }
        let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let warning =
            "recorder: warning: AWS_RETRY_MODE is \"other\", which is none of legacy, standard, adaptive. It is ignored."
        #expect(said.split(separator: "\n").filter { $0.contains("AWS_RETRY_MODE") } == [warning[...]], "\(said)")
    }

    @Test func `a call takes them, unless the user gave a number of retries`() throws {
        let machine = try settings("max_attempts = 7\nsdk_ua_app_id = an app")
        var configuration = CallConfiguration(
            region: try Region("us-east-1"),
            endpoint: try Endpoint(url: "http://127.0.0.1:1"),
            credentials: AnonymousCredentials()
        )
        try configuration.apply(machine, retriesAreGiven: true)
        #expect(configuration.maximumRetries == 3)
        #expect(configuration.userAgent == UserAgent.standard + " app/an-app")
        try configuration.apply(machine)
        #expect(configuration.maximumRetries == 6)
    }

    /// botocore refuses unknown modes, too; here all modes do the same, so that they are only logged.
    @Test func `attempts, modes and application IDs are those of botocore, and so are the attempts that it refuses`()
        async throws
    {
        let cases = Self.cases
        let data = try await LocalPython.run("check_calls.py", input: try JSONEncoder().encode(cases))
        let answers = try JSONDecoder().decode([Answer].self, from: data)
        try #require(answers.count == cases.count)
        for (given, answer) in zip(cases, answers) {
            let machine = try settings(given.profile, given.environment)
            guard let mode = answer.mode else {
                #expect(throws: ConfigurationFailure.self, "\(given)") { try machine.maximumRetries() }
                continue
            }
            #expect(try machine.maximumRetries().map { $0 + 1 } == answer.attempts, "\(given)")
            #expect((machine.retryMode ?? .standard).rawValue == mode, "\(given)")
            #expect(machine.applicationID.map(UserAgent.token(applicationID:)) == answer.application, "\(given)")
        }
    }

    private struct Case: Encodable {
        let profile: String
        let environment: [String: String]
    }

    private struct Answer: Decodable {
        let attempts: Int?
        /// nil if botocore refuses the settings.
        let mode: String?
        let application: String?
    }

    private static let cases: [Case] = {
        var cases: [Case] = []
        for value in ["1", "3", " 5 ", "+4", "10", "0", "-2", "x", "2.5"] {
            cases.append(Case(profile: "", environment: ["AWS_MAX_ATTEMPTS": value]))
            cases.append(Case(profile: "max_attempts = \(value)", environment: [:]))
        }
        for value in ["legacy", "standard", "adaptive"] {
            cases.append(Case(profile: "retry_mode = legacy", environment: ["AWS_RETRY_MODE": value]))
            cases.append(Case(profile: "retry_mode = \(value)", environment: [:]))
        }
        let printable = String(String.UnicodeScalarView((0x21...0x7E).map { Unicode.Scalar(UInt8($0)) }))
        for value in ["app", "my app/1.2", "größe", "a\tb", printable, String(repeating: "x", count: 60)] {
            cases.append(Case(profile: "sdk_ua_app_id = file", environment: ["AWS_SDK_UA_APP_ID": value]))
            cases.append(Case(profile: "sdk_ua_app_id = \(value)", environment: [:]))
        }
        cases.append(Case(profile: "", environment: [:]))
        return cases
    }()
}
