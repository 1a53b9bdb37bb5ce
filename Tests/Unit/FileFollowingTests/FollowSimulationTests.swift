import Foundation
import RecorderTestSupport
import Testing

/// The follower's own loop, on a disk in memory.
@Suite struct FollowSimulationTests {
    /// `RECORDER_FOLLOW_SEEDS` is a number of worlds, or a range as in `17-18`; of a single one the story is printed.
    private static var seeds: [UInt64] {
        guard let text = ProcessInfo.processInfo.environment["RECORDER_FOLLOW_SEEDS"] else {
            let firsts =
                [0, FollowWorld.firstStrange, FollowWorld.firstCrowded, FollowWorld.firstPolled]
                + [FollowWorld.firstFailing]
            return firsts.flatMap { $0..<$0 + 12 } + failedOnce
        }
        let numbers = text.split(separator: "-").compactMap { UInt64($0) }
        return Array(numbers.count == 2 ? numbers[0]..<numbers[1] : 0..<(numbers.first ?? 100))
    }

    /// Seeds of worlds in which lines were lost or stored twice, until that was repaired.
    private static let failedOnce: [UInt64] = [
        107, 154, 165, 210, 211, 285, 321, 465, 499, 691, 790, 826, 832, 1_014, 1_232, 1_244, 1_296, 1_402, 1_612,
        1_687, 1_712, 2_192, 2_473, 2_585, 1_002_295, 1_002_638, 1_004_085, 1_004_425, 1_004_630, 2_000_460,
        1_001_854, 2_001_292, 3_000_246, 3_000_275, 3_021_330, 3_021_676, 3_200_751, 3_200_753, 4_100_818, 8_000_001,
        8_000_003, 8_000_364, 8_000_610, 8_000_644, 8_000_778, 8_200_317, 8_200_470, 8_201_240, 8_201_350, 9_000_100,
        9_000_115, 9_000_512, 9_000_789, 9_000_892, 9_001_177, 9_002_714, 9_003_753, 9_004_218, 9_012_333, 9_013_756,
        10_001_272, 1_100_315, 3_360_380, 8_573_037, 8_632_516, 8_636_216,
        62_557, 8_703_664, 9_106_000, 9_106_549, 9_108_999, 9_112_733, 176_958, 1_424_297, 9_120_659,
        1_395_206, 9_123_574, 3_612_252, 9_134_085, 9_173_492, 9_189_900, 9_317_216, 9_388_101,
        9_388_159, 574_748,
    ]

    @Test func `a directory of more files than may be open is not listed again for each turn`() throws {
        let directory = try TemporaryDirectory()
        let worlds = [40, 640].map { FollowWorld(files: $0, claims: directory.path("claims")) }
        for world in worlds {
            world.run()
            #expect(world.faults == [])
            #expect(world.mostOpen == 16)
        }
        // Once a minute too.
        #expect(worlds[1].listings <= worlds[0].listings + 1, "\(worlds.map(\.listings)) listings")
    }

    @Test func `the last record of each file is stored, although it may go on and others wait to be opened`() throws {
        let directory = try TemporaryDirectory()
        let world = FollowWorld(files: 100, multilineStart: "^line", claims: directory.path("claims"))
        world.run()
        #expect(world.faults == [])
        #expect(world.store.records.count == 100)
    }

    @Test func `each line is stored once, or it is told that it may be missing`() throws {
        let directory = try TemporaryDirectory()
        var (failed, lines, missing) = ([String](), 0, 0)
        for seed in Self.seeds {
            let world = FollowWorld(seed: seed, claims: directory.path("claims"))
            world.run()
            lines += world.lines.count
            missing += world.lines.count { world.store.records[$0.text] == nil }
            guard let fault = world.faults.first else { continue }
            failed.append(
                "seed \(seed): \(world.faults.count) of \(world.lines.count) lines, \(fault); \(world.settings)"
            )
            if Self.seeds.count == 1 {
                print(world.story.joined(separator: "\n"), world.faults.joined(separator: "\n"))
            }
        }
        print(
            "\(Self.seeds.count) worlds: \(lines) lines, \(missing) told as missing or never seen; \(failed.count) failed"
        )
        #expect(failed.isEmpty, "\(failed.prefix(12).joined(separator: "\n"))")
    }
}
