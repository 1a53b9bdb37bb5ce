import Foundation
import RecorderTestSupport
import Testing

/// Nothing that the product calls slips past the simulated machine: it stands in for it, or `real-calls.txt` says why it may be
/// real.
@Suite struct RealCallsTests {
    @Test func `the product calls nothing real that is not named as meant`() async throws {
        let list = "\(BuiltProgram.directory)/Simulation.product/Objects.LinkFileList"
        let objects = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map {
            $0.trimmingCharacters(in: ["'", "\""])
        }
        let product = objects.filter { object in
            !object.contains("/Simulat") && !RealCalls.unused.contains { object.contains($0) }
        }
        #expect(product.contains { $0.contains("/RecorderEngine.build/") })
        let machine = objects.filter { $0.contains("/SimulatedMachine.build/") }
        let simulated = Set(try await symbols("--defined-only", of: machine).map(\.name))
        let real = try RealCalls()
        for symbol in try await symbols("--undefined-only", of: product)
        where RealCalls.isLookedAt(symbol.name) && !simulated.contains(symbol.name) && !real.contains(symbol.name) {
            Issue.record("\(symbol.object) calls \(symbol.name): simulate it in Machine, or name it in real-calls.txt")
        }
    }

    private func symbols(_ kind: String, of objects: [String]) async throws -> [(object: Substring, name: Substring)] {
        let run = try await BuiltProgram.run("/usr/bin/env", ["nm", "--print-file-name", kind] + objects)
        try #require(run.status == 0, "\(run.err)")
        return run.out.split(separator: "\n").compactMap { line in
            guard let space = line.utf8.lastIndex(of: UInt8(ascii: " ")) else { return nil }
            return (line.prefix { $0 != ":" }, line[line.utf8.index(after: space)...])
        }
    }
}

/// The names in `real-calls.txt`.
private struct RealCalls {
    let patterns: [String]

    /// What adapts the credentials of one SDK to the other, and what that needs: no world has credentials of the other one.
    static let unused = ["Adapter.swift.o", "/RecorderConfiguration.build/", "/AWSTasks.build/"]

    init() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent("real-calls.txt"), encoding: .utf8)
        patterns = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.flatMap {
            $0.split(separator: " ").map { String($0) }
        }
    }

    func contains(_ name: Substring) -> Bool {
        patterns.contains { $0.hasSuffix("*") ? name.hasPrefix($0.dropLast()) : name == $0 }
    }

    /// Of Swift's names, those of modules that call more of the system than its standard library does, and of their extensions.
    static func isLookedAt(_ name: Substring) -> Bool {
        guard name.hasPrefix("$s") else { return true }
        return ["8Dispatch", "5Glibc", "10Foundation", "20FoundationEssentials"].contains {
            name.hasPrefix("$s\($0)") || name.contains("\($0)E")
        }
    }
}
