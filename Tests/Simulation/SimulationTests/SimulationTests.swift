import Foundation
import RecorderTestSupport
import Testing

/// Worlds of the simulation, each a seed: see `Tests/Simulation/README.md`.
@Suite(.serialized) struct SimulationTests {
    @Test(arguments: [
        "none", "usual", "kills", "power", "network", "disk", "dying-disk", "full", "discards", "full-discards",
        "shares", "ages",
        "order",
        "attempts", "stalls", "stops", "removals", "copies", "provider", "programs", "service", "shards",
        "ordered-programs",
        "read-only", "snapshots", "delay",
    ])
    func `every law holds, and a seed gives the same world again`(profile: String) async throws {
        let run = try await simulate(profile, seeds: profile == "usual" ? 40 : 4, "--twice")
        #expect(run.status == 0, "\(run.out)")
    }

    /// Rescued stores, too, whose names are drawn by chance.
    @Test func `a seed gives the same world again where a law is broken`() async throws {
        let run = try await simulate("lying-disk", seeds: 20, "--twice")
        #expect(run.out.contains(" 0 differ"), "\(run.out)")
    }

    @Test(arguments: ["lying-disk", "lying-lock", "lying-service"])
    func `a machine that lies is noticed`(profile: String) async throws {
        let run = try await simulate(profile, seeds: 20)
        #expect(run.status == 1, "\(run.out)")
    }

    @Test func `no seed that ever found a fault finds it again`() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let list = try String(contentsOf: folder.appendingPathComponent("Seeds/seeds.txt"), encoding: .utf8)
        for line in list.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.prefix { $0 != ":" }.split(separator: " ").map { String($0) }
            let run = try await simulate(words[0], seeds: 1, ["--first"] + words.dropFirst())
            #expect(run.status == 0, "\(line): \(run.out)")
        }
    }

    @Test func `a world that fails is shrunk to a story`() async throws {
        let run = try await simulate("lying-service", seeds: 4, "--shrink")
        #expect(run.out.contains("a small one: make simulate"))
        #expect(run.out.contains("VIOLATION: what was saved arrives"), "\(run.out)")
    }

    private func simulate(_ profile: String, seeds: Int, _ more: String...) async throws -> BuiltProgram.Ran {
        try await simulate(profile, seeds: seeds, more)
    }

    private func simulate(_ profile: String, seeds: Int, _ more: [String]) async throws -> BuiltProgram.Ran {
        try await BuiltProgram.run("Simulation", ["--profile", profile, "--seeds", "\(seeds)"] + more)
    }
}
