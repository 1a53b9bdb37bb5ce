import Foundation
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows.Damage {
    private func verify(_ directory: String) -> [String] {
        do throws(RecorderError) {
            return try StoreVerification(at: StoreLocation(directory: directory, fileName: "kinesis.db")).problems
        } catch {
            return [error.message]
        }
    }

    @Test func `every damaged store that loses or alters a record is found, and is not changed by the check`()
        async throws
    {
        var random = SeededRandom(FaultRows.seed + 23)
        let whole = try await Fixture(records: 300, isInLog: false)
        let files = FaultRows.count(12, full: 200)
        var (harmed, found, foundBesides) = (0, 0, 0)
        for number in 0..<files {
            var fixture = whole
            let kind = Kind.allCases[number % Kind.allCases.count]
            let offset = damage(&fixture.database, kind, &random)
            let directory = try TemporaryDirectory()
            try fixture.write(to: directory.path)
            let problems = verify(directory.path)
            #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path("kinesis.db"))) == fixture.database)
            // What is lost or altered is what a submit delivers, after the rescue.
            let outcome = try #require(try await restart(fixture))
            let isHarmed = outcome.delivered.count < whole.texts.count || outcome.altered > 0
            #expect(!isHarmed || !problems.isEmpty, "file \(number): \(kind) at \(offset): \(outcome.notes)")
            harmed += isHarmed ? 1 : 0
            found += isHarmed && !problems.isEmpty ? 1 : 0
            foundBesides += !isHarmed && !problems.isEmpty ? 1 : 0
        }
        FaultRows.report(
            "R9 verify, damaged:",
            ["files": files, "lost or altered": harmed, "found": found, "others found": foundBesides]
        )
    }

    @Test func `no sound store is called damaged, whatever was done with it`() async throws {
        var random = SeededRandom(FaultRows.seed + 24)
        let server = try RecordingServer(faultSeed: FaultRows.seed)
        let stores = FaultRows.count(12, full: 200)
        var directory = try TemporaryDirectory()
        var harness = try PipelineHarness(in: directory.path, to: server.url, byteLimit: 400_000)
        for number in 0..<stores {
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let count = Int.random(in: 1...200, using: &random)
                let size = Int.random(in: 1...1_500, using: &random)
                let stream = "stream\(Int.random(in: 0..<4, using: &random))"
                if Bool.random(using: &random) {
                    try await harness.saveAll(
                        Array(repeating: String(repeating: "x", count: size), count: count),
                        to: stream
                    )
                } else {
                    try await harness.save(String(repeating: "y", count: size), to: stream, key: "key")
                }
            }
            switch number % 6 {
            case 0, 3: _ = try? await harness.flush()
            case 4: if number % 4 == 0 { _ = try await harness.clear() }
            case 5:
                // A copy of the file is another store, with another source of keys.
                let copy = try TemporaryDirectory()
                try FileManager.default.removeItem(atPath: copy.path)
                harness = try PipelineHarness(in: copy.path, to: server.url, byteLimit: 400_000)
                try FileManager.default.copyItem(atPath: directory.path, toPath: copy.path)
                directory = copy
            default: break
            }
            let problems = verify(directory.path)
            #expect(problems.isEmpty, "store \(number): \(problems)")
        }
        FaultRows.report("R9 verify, sound:", ["stores": stores, "records": try harness.records()])
    }
}
