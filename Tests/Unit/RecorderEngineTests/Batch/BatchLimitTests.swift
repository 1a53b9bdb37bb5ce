import Foundation
import RecorderStore
import RecorderTestSupport
import Testing

@Suite struct BatchLimitTests {
    @Test(arguments: [0, 2, 256])
    func `the payloads and partition keys of a request do not exceed its byte limit`(key: Int) async throws {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server) { $0.batchByteLimit = 2_000 }
        // Two bytes per character: the limit counts bytes, and 128 of these are 256.
        let key = String(repeating: "é", count: key / 2)
        for number in 0..<40 { try await harness.save("\(number + 100)", key: key.isEmpty ? nil : key) }
        _ = try await harness.flush()
        let sizes = server.requests.map { request in
            let json = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
            return (json?["Records"] as? [[String: String]] ?? []).reduce(0) { sum, record in
                sum + 3 + (record["PartitionKey"]?.utf8.count ?? 0)
            }
        }
        #expect(sizes.allSatisfy { $0 <= 2_000 })
        // Every request but the last is full.
        #expect(sizes.dropLast().allSatisfy { $0 > 2_000 - 3 - 256 })
        #expect(server.requests.flatMap { ParsedPutRequest($0).texts } == (100..<140).map(String.init))
    }
}
