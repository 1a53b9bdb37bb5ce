import Foundation
import RecorderConcurrency
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// Compares random operations on a pipeline with a list in memory: nothing is lost or delivered twice, the order and
/// the counts are right, and the limits discard exactly the oldest records, by size those of the largest stream.
@Suite struct ModelTests {
    /// The same ones in each run, and random ones in the long runs.
    private static let seeds = Array(1...15) + (0..<fresh).map { _ in UInt64.random(in: 1...UInt64.max) }
    private static let fresh = ["full": 4_000, "some": 400][ProcessInfo.processInfo.environment["STRESS"] ?? ""] ?? 0

    @Test func `after any random operations the store holds exactly the unsettled records, in order`() async throws {
        for seed in Self.seeds {
            var walk = try Walk(seed: seed)
            for step in 0..<25 {
                let operation = try await walk.step()
                try walk.check("seed \(seed), step \(step): \(operation)")
            }
        }
        print("R29 model: walks=\(Self.seeds.count) steps=\(Self.seeds.count * 25)")
    }
}

/// The outcome that the service chose for each record, by its text.
private final class ScriptedService: Sendable {
    struct State {
        var random: SeededRandom
        var accepted: [String] = []
        var rejected: Set<String> = []
    }

    let state: Locked<State>

    init(seed: UInt64) {
        state = Locked(State(random: SeededRandom(seed)))
    }

    func answer(_ request: ReceivedRequest) -> Reply {
        let texts = ParsedPutRequest(request).texts
        return state.withLock { state in
            switch Int.random(in: 0..<10, using: &state.random) {
            case 0: return .error(500, "InternalFailure")
            case 1: return .error(400, "ResourceNotFoundException")
            case 2: return .json(200, #"{"Records":[]}"#)
            default: return .json(200, #"{"Records":[\#(texts.map { entry($0, &state) }.joined(separator: ","))]}"#)
            }
        }
    }

    private func entry(_ text: String, _ state: inout State) -> String {
        switch Int.random(in: 0..<20, using: &state.random) {
        case 0: return #"{"ErrorCode":"ProvisionedThroughputExceededException"}"#
        case 1: return "{}"
        case 2:
            state.rejected.insert(text)
            return #"{"ErrorCode":"InvalidArgumentException"}"#
        default:
            state.accepted.append(text)
            return #"{"SequenceNumber":"1"}"#
        }
    }
}

private struct Walk {
    private let service: ScriptedService
    private let server: LocalServer
    private var harness: PipelineHarness
    private var random: SeededRandom
    private var saved: [String] = []
    private var cleared: Set<String> = []
    /// When each record was saved, by the clock, in seconds.
    private var times: [String: Double] = [:]
    /// The stream of each record.
    private var streams: [String: String] = [:]
    private var time = 0.0
    /// The limits in force: bytes, and seconds; 0 for none.
    private var byteLimit = 0
    private var ageLimit = 0.0
    private var discarded: Set<String> = []

    init(seed: UInt64) throws {
        let service = ScriptedService(seed: seed)
        self.service = service
        random = SeededRandom(seed &+ 1)
        server = try LocalServer { request, _ in service.answer(request) }
        harness = try PipelineHarness(to: server) { $0.limits.bytes = 0 }
    }

    /// Does one random operation, and returns its description.
    mutating func step() async throws -> String {
        switch saved.isEmpty ? 0 : Int.random(in: 0..<15, using: &random) {
        case 0..<6:
            let count = Int.random(in: 1...40, using: &random)
            let stream = "s\(Int.random(in: 0..<3, using: &random))"
            // Large enough that a walk crosses several segments.
            let padding = String(repeating: "x", count: Int.random(in: 0...6_000, using: &random))
            let texts = (0..<count).map { "\(saved.count + $0) \(padding)" }
            try await harness.saveAll(texts, to: stream)
            expire()
            for text in texts {
                saved.append(text)
                (times[text], streams[text]) = (time, stream)
                evict()
            }
            return "saved \(count) to \(stream)"
        case 6..<10:
            expire()
            let report = try await harness.flush()
            return "flushed, \(report.delivered) delivered"
        case 10:
            harness = try PipelineHarness(to: server, in: harness.directory, by: harness.clock)
            setLimits()
            return "opened again"
        case 11:
            byteLimit = Bool.random(using: &random) ? 0 : Int.random(in: 1_000...600_000, using: &random)
            ageLimit = Bool.random(using: &random) ? 0 : Double.random(in: 10...100, using: &random)
            setLimits()
            return "limits: \(byteLimit) bytes, \(ageLimit) seconds"
        case 12:
            let seconds = Double.random(in: 1...60, using: &random)
            harness.clock.advance(by: seconds)
            time += seconds
            return "\(seconds) seconds passed"
        case 13:
            harness.clock.jump(by: Double.random(in: -1e9...1e9, using: &random))
            return "the clock was set"
        default:
            cleared.formUnion(try harness.storedTexts())
            return "cleared \(try await harness.clear())"
        }
    }

    private func setLimits() {
        harness.pipeline.configure { $0.limits.bytes = byteLimit }
        harness.pipeline.configure { $0.limits.age = .milliseconds(Int64((ageLimit * 1_000).rounded())) }
    }

    private func removed() -> Set<String> {
        let (accepted, rejected) = service.state.withLock { ($0.accepted, $0.rejected) }
        return Set(accepted).union(rejected).union(cleared).union(discarded)
    }

    private func stored() -> [String] {
        let removed = removed()
        return saved.filter { !removed.contains($0) }
    }

    /// Discards what a save, or a flush before it sends, discards: the records beyond the age limit.
    private mutating func expire() {
        guard ageLimit > 0 else { return }
        discarded.formUnion(stored().filter { time - (times[$0] ?? 0) > ageLimit })
    }

    /// Discards what a save discards: the oldest records of the largest stream, until the rest fits.
    private mutating func evict() {
        guard byteLimit > 0 else { return }
        var stored = stored()
        while stored.reduce(0, { $0 + Self.bytes($1) }) > byteLimit {
            let sizes = Dictionary(grouping: stored) { streams[$0] ?? "" }.mapValues {
                $0.reduce(0) { $0 + Self.bytes($1) }
            }
            // Of equal streams, the one that was used first.
            let order = saved.compactMap { streams[$0] }
            let largest = sizes.max {
                ($0.value, order.firstIndex(of: $1.key) ?? 0) < ($1.value, order.firstIndex(of: $0.key) ?? 0)
            }
            guard let index = stored.firstIndex(where: { streams[$0] == largest?.key }) else { return }
            discarded.insert(stored.remove(at: index))
        }
    }

    private static func bytes(_ text: String) -> Int { text.utf8.count + 36 + 64 }

    func check(_ context: String) throws {
        let accepted = service.state.withLock { $0.accepted }
        let stored = try harness.storedTexts()
        let removed = removed()
        #expect(Set(accepted).count == accepted.count, "delivered twice; \(context)")
        #expect(stored == saved.filter { !removed.contains($0) }, "\(context)")
        let totals = try harness.pipeline.totals()
        #expect(totals.records == stored.count, "\(context)")
        #expect(totals.bytes == stored.reduce(0) { $0 + Self.bytes($1) }, "\(context)")
        #expect(totals.saved == saved.count && totals.delivered == accepted.count, "\(context)")
        #expect(totals.saved == totals.records + totals.delivered + totals.discarded + totals.cleared, "\(context)")
    }
}
