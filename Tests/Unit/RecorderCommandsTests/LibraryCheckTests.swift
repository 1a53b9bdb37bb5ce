import Foundation
import RecorderCommands
import RecorderTestSupport
import Testing

/// The libraries that the command line needs, as the doctor and README name them.
@Suite struct LibraryCheckTests {
    private func lines(_ version: String, minimum: String) -> [String] {
        LibraryChecks([.init("libfoo", version: version, minimum: minimum)]).findings.map(\.line)
    }

    @Test func `a library below its minimum fails, and the version to install is named`() throws {
        let line = try #require(lines("7.68.0", minimum: "7.73").first)
        #expect(line.contains("FAIL  libraries   libfoo 7.68.0 is too old"))
        #expect(line.contains("Install libfoo 7.73 or later"))
    }

    @Test(arguments: ["7.73", "7.73.0", "7.100.1", "8.0.0-rc1"])
    func `versions are compared number by number`(version: String) {
        #expect(lines(version, minimum: "7.73") == ["ok    libraries   libfoo \(version)"])
    }

    @Test func `the doctor shows the versions that are loaded`() async throws {
        let ran = try await Tool().run("doctor", "--offline")
        let line = try #require(ran.out.split(separator: "\n").first { $0.contains("libraries") })
        let libraries =
            /ok    libraries   SQLite 3\.\d+\.\d+, libcurl \d+\.\d+\.\d+, OpenSSL \d+\.\d+\.\d+, PCRE2 \d+\.\d+, glibc 2\.\d+/
        #expect(line.wholeMatch(of: libraries) != nil, "\(line)")
    }

    @Test(arguments: LibraryChecks.loaded.libraries.map { [$0.name, $0.minimum] })
    func `README names the minimum that the doctor checks`(library: [String]) throws {
        let text = try String(contentsOfFile: "\(Repository.path)/README.md", encoding: .utf8)
        let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("|") && $0.contains(library[0]) })
        #expect(row.contains("| \(library[1]) |"))
    }
}
