import RecorderEngine
import RecorderStore
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// The network is lost below the sockets, and comes back.
    @Suite struct Network {
        @Test(arguments: NetworkPair.Loss.allCases)
        func `losing the network during a request, and before one, loses no record and counts no attempt`(
            loss: NetworkPair.Loss
        ) async throws {
            guard let network = try NetworkPair.make() else { return }
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            let gate = Gate()
            let server = try RecordingServer(on: try await network.serverSocket()) { if $0 == 0 { gate.wait() } }
            func submit() async throws -> [String] {
                let before = JournalReading(journal).notes.count
                let child = try Child(under: network.asClient, "short-timeouts", path, server.url, journal, "h", "500")
                #expect(await child.end() == .exit(0))
                return Array(JournalReading(journal).notes.dropFirst(before))
            }
            let store = try PipelineHarness(in: path, to: nil)
            for number in 0..<20 { try await store.save("record \(number)") }

            async let during = submit()
            await server.received(1)
            try network.begin(loss)
            gate.open()
            let kinds = try await during
            let away = try await submit()
            report("R13 \(loss):", ["during": kinds, "away": away, "attempts": try store.pipeline.totals().retried])
            #expect(kinds.count == 1 && Set(kinds).isSubset(of: ["timedOut", "cannotConnect", "connectionLost"]))
            #expect(away == [loss == .dropped ? "timedOut" : "cannotConnect"])
            #expect(try store.pipeline.totals().records == 20)
            #expect(try store.pipeline.totals().retried == 0)

            try network.end(loss)
            #expect(try await submit() == [])
            #expect(server.texts.count == 20)
            // Only the request whose answer was lost.
            #expect(server.duplicates == 20)
            #expect(try store.pipeline.totals().records == 0)
        }
    }
}
