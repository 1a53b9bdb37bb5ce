import Foundation
import RecorderTestSupport
import Testing

/// A crash writes no keys to the disk.
@Suite(.timeLimit(.minutes(10))) struct CoreDumpTests {
    /// Runs a program in the home directory, where its core dump goes, with core dumps allowed.
    private let withCores = ["sh", "-c", #"ulimit -c unlimited; cd "$HOME" && exec "$@""#, "sh"]

    @Test func `a crash leaves no core dump, which would hold the keys`() async throws {
        guard !isSanitized else { return print("S14 skipped: a sanitizer reports the crash.") }
        let server = try LocalServer { _, _ in .stall }
        var tool = try Tool(to: server.url)
        // Swift's own signal handler would keep the process alive after a signal that no instruction caused.
        tool.environment["SWIFT_BACKTRACE"] = "enable=no"
        let control = try RunningTool(
            withCores + ["sh", "-c", "kill -SEGV $$"],
            environment: tool.environment,
            home: tool.home
        )
        #expect(await control.end().status == -SIGSEGV)
        guard let core = try cores(in: tool.home).first else {
            return print(
                "S14 skipped: core dumps are written elsewhere (\(Self.pattern)), or the hard limit forbids them."
            )
        }
        // The next core dump may have the same name.
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
