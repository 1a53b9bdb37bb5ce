import Foundation
import RecorderTestSupport
import Testing

/// Names from outside cannot move the cursor or set a title: control characters are printed escaped.
@Suite(.timeLimit(.minutes(3))) struct ForeignTextTests {
    private static let evil = "e\u{1B}[2J\u{9B}1mv\ni\tl\u{202E}"
    private static let escaped = #"e\u{1b}[2J\u{9b}1mv\u{a}i\u{9}l\u{202e}"#

    /// Whether line ends are the only control characters.
    private func isClean(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory) }
    }

    @Test func `list and status print names with their control characters escaped, as text and as JSON`() async throws {
        let tool = try Tool()
        let evil = Self.evil
        let words = ["--name", evil, "--key", "k"]
        let saved = try await tool.run("save", "app", "--name", evil, input: Data("a\n".utf8))
        #expect(saved.status == 0, "\(saved)")
        // A directory with the name of a store.
        let state = tool.home.path(".local/state/\(evil)/com.amazonaws.AWSKinesisRecorder")
        try FileManager.default.createDirectory(
            atPath: "\(state)/kinesis-\(evil).db",
            withIntermediateDirectories: true
        )
        for arguments in [["list"], ["list", "--json"], ["status"] + words, ["status", "--json"] + words] {
            let ran = await (try tool.start(arguments)).end()
            #expect(isClean(ran.out) && isClean(ran.err), "\(ran)")
            #expect(!ran.out.isEmpty || !ran.err.isEmpty)
            guard arguments.contains("--json") else { continue }
            #expect((try? JSONSerialization.jsonObject(with: Data(ran.out.utf8))) != nil, "\(ran)")
        }
        let list = try await tool.run("list")
        #expect(list.out.contains(Self.escaped) && list.out.split(separator: "\n").count == 3, "\(list)")
        #expect(list.err.contains(Self.escaped) && list.err.split(separator: "\n").count == 1, "\(list)")
        let json = try await tool.run("list", "--json").out
        let stores = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(stores.contains { $0["program"] as? String == evil && $0["key"] as? String == evil })
    }

    @Test(arguments: [
        [evil], ["save", evil], ["save", "app", "--" + evil], ["save", "app", "-" + evil.dropFirst()],
        ["save", "app", evil],
        ["save", "app", "-f", "/nowhere/" + evil], ["save", "app", "-d", "/dev/null/" + evil],
        ["save", "app", "--limit", evil], ["save", "app", "--delimiter", evil], ["submit", "--watch", evil],
        ["help", evil], ["completions", evil], ["import", "/nowhere/" + evil],
        ["doctor", "--offline", "-d", "/dev/null/" + evil, "--region", evil, "--profile", evil],
    ])
    func `errors print what was typed with its control characters escaped`(words: [String]) async throws {
        let ran = await (try Tool().start(words)).end()
        #expect(isClean(ran.out) && isClean(ran.err), "\(ran)")
        #expect((ran.out + ran.err).lowercased().contains(#"\u{1b}"#), "\(ran)")
    }
}
