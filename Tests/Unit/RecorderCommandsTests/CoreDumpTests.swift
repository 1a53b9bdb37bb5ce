import Foundation
import RecorderTestSupport
import Testing

/// What a crash leaves on the disk holds no keys.
@Suite(.timeLimit(.minutes(10))) struct CoreDumpTests {
    /// Runs a program at home, where its core goes, and lets it have one.
    private let withCores = ["sh", "-c", #"ulimit -c unlimited; cd "$HOME" && exec "$@""#, "sh"]

    @Test func `a crash leaves no core, with the keys in it`() async throws {
        guard !isSanitized else { return print("S14 skipped: a sanitizer reports the crash.") }
        let server = try LocalServer { _, _ in .stall }
        var tool = try Tool(to: server.url)
        // Swift's own handler survives a signal that no instruction caused.
        tool.environment["SWIFT_BACKTRACE"] = "enable=no"
        let control = try RunningTool(withCores + ["sh", "-c", "kill -SEGV $$"], tool.environment, tool.home)
        #expect(await control.end().status == -SIGSEGV)
        guard let core = try cores(in: tool.home).first else {
            return print("S14 skipped: cores go elsewhere here: \(Self.pattern), or the hard limit forbids them.")
        }
        // The next one may have the same name.
        try FileManager.default.removeItem(atPath: tool.home.path(core))
        let running = try tool.start(under: withCores, ["save", "app", "--submit"])
        running.write(Data("one\n".utf8))
        await server.received(1)
        #expect(running.signal(SIGSEGV) == 0)
        #expect(await running.end().status == -SIGSEGV)
        #expect(try cores(in: tool.home) == [])
    }

    private static var pattern: String {
        (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) ?? ""
    }

    private func cores(in home: TemporaryDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: home.path).filter { $0.contains("core") }
    }
}
