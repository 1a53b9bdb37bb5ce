import Foundation
import RecorderEngine
import RecorderHTTP
import RecorderSQLite
import RecorderStore
import RecorderTestSupport

/// Writes the accepted records to the journal before the engine sees the answer.
struct JournalingTransport: HTTPTransport {
    let journal: Journal

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let response = try await CurlTransport.shared.send(request)
        let sent = PutRequestBody(request.body).aggregatedRecords
        let answers = Self.entries(response.body)
        let delivered = zip(sent, answers).filter { $1["SequenceNumber"] != nil }.flatMap(\.0)
        journal.delivered(delivered.map { String(decoding: $0, as: UTF8.self) })
        return response
    }

    private static func entries(_ body: [UInt8]) -> [[String: Any]] {
        let json = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return json?["Records"] as? [[String: Any]] ?? []
    }
}

extension StoreChild {
    /// Runs every operation that writes to a store once, so that the power can be cut at any moment.
    func power() async {
        // A new store; one commit for each save, then for several saves.
        for number in 0..<12 { await keep(text(number, 50 + number * 331), in: "a") }
        await saveAll(100..<300, size: 300)
        await submitAll()
        // Each save evicts the oldest record of the stream that takes the most, here the only one.
        for number in 300..<340 { while await !keep(text(number, 900), in: "a") {} }
        let stored = (try? store.pipeline.totals().bytes) ?? 0
        store.pipeline.configure { $0.limits.bytes = stored }
        for number in 340..<380 {
            journal.released(text(number - 40, 900))
            while await !keep(text(number, 900), in: "a") {}
        }
        store.pipeline.configure { $0.limits.bytes = 0 }
        // Several segments, and a log beyond its limit; delivery frees the segments, and the drained store shrinks.
        await saveAll(1_000..<1_400, size: 4_000)
        await submitAll()
        await saveAll(4_000..<4_100, size: 4_000)
        await submitAll()
        // Many answers in one submit; and several submits that leave records.
        await saveAll(2_000..<2_400, size: 100)
        store.pipeline.configure { $0.batchByteLimit = 1_000 }
        await submitAll()
        await saveAll(2_400..<2_430, size: 100)
        for number in 2_430..<2_436 {
            await keep(text(number, 2_000), in: "a")
            store.pipeline.configure { $0.streams = StreamSelection(["a"]) }
            await submit()
            journal.settled()
        }
        store.pipeline.configure { $0.streams = nil }
        await submitAll()
        // The user clears the store.
        await saveAll(5_000..<5_050, size: 500)
        for number in 5_000..<5_050 { journal.released(text(number, 500)) }
        await withCheckedContinuation { continuation in store.pipeline.clear { _ in continuation.resume() } }
        await saveAll(6_000..<6_100, size: 500)
        for number in 70..<80 { await submitBesideReader(number * 100) }
    }

    /// Settles whose checkpoints a reader ends early, and some after that.
    private func submitBesideReader(_ number: Int) async {
        await saveAll(number..<number + 60, size: 2_000)
        guard let reader = try? SQLiteConnection(path: store.path, access: .readOnly),
            (try? reader.execute("BEGIN; SELECT * FROM sqlite_schema")) != nil
        else { fatalError("\(store.path) cannot be read") }
        await saveAll(number + 60..<number + 100, size: 2_000)
        store.pipeline.configure { $0.streams = StreamSelection(["a"]) }
        await submit()
        try? reader.execute("COMMIT")
        await submit()
        store.pipeline.configure { $0.streams = nil }
    }

    /// Saves a record; notes it if that fails, because it may be stored.
    @discardableResult
    private func keep(_ text: String, in stream: String) async -> Bool {
        if await save(text, to: stream) { return true }
        journal.note(text)
        return false
    }

    private func stream(_ number: Int) -> String { number % 3 == 0 ? "b" : "a" }

    private func text(_ number: Int, _ size: Int) -> String {
        "\(name)-\(number) " + String(repeating: Character(UnicodeScalar(UInt8(97 + number % 26))), count: size)
    }

    private func saveAll(_ numbers: Range<Int>, size: Int) async {
        await withTaskGroup(of: Void.self) { group in
            for number in numbers {
                group.addTask { await keep(text(number, size), in: stream(number)) }
                // Limits the concurrency, because more saves at once would share one commit.
                if number % 24 == 0 { await group.waitForAll() }
            }
        }
    }

    /// Submits until nothing is left.
    private func submitAll() async {
        while let left = try? store.pipeline.totals().records, left > 0 {
            await submit()
            journal.settled()
        }
    }
}
