import RecorderTestSupport
import Testing

/// Worlds of the simulation, each a seed: see `Tests/Simulation/README.md`.
@Suite(.serialized) struct SimulationTests {
    @Test(arguments: ["none", "usual", "kills", "power", "network", "disk", "full", "discards", "copies", "provider"])
    func `every law holds, and a seed gives the same world again`(profile: String) async throws {
        let run = try await simulate(profile, seeds: 4, "--twice")
        #expect(run.status == 0, "\(run.out)")
    }

    @Test(arguments: ["lying-disk", "lying-lock", "lying-service"])
    func `a machine that lies is noticed`(profile: String) async throws {
        let run = try await simulate(profile, seeds: 20)
        #expect(run.status == 1, "\(run.out)")
    }

    private func simulate(_ profile: String, seeds: Int, _ more: String...) async throws -> BuiltProgram.Ran {
        try await BuiltProgram.run("Simulation", ["--profile", profile, "--seeds", "\(seeds)"] + more)
    }
}
