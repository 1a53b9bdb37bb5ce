import RecorderDelivery
import RecorderStore
import Testing

@Suite struct BatchPlannerTests {
    /// How many records of these sizes one batch accepts.
    private func accepted(_ sizes: [Int], records: Int = 500, bytes: Int = 1_000) -> Int {
        var planner = BatchPlanner(maximumRecords: records, maximumBytes: bytes)
        return sizes.prefix { planner.takes($0) }.count
    }

    @Test func `a batch takes as many records as the service allows`() {
        #expect(accepted(Array(repeating: 0, count: 501)) == 500)
    }

    @Test func `a batch may be as large as the limit and not one byte larger`() {
        #expect(accepted([400, 600]) == 2)
        #expect(accepted([400, 601]) == 1)
    }

    @Test func `a single record is always sent, however large`() {
        #expect(accepted([5_000, 1]) == 1)
        #expect(accepted([5_000, 1], bytes: 0) == 1)
    }

    @Test func `a user's byte limit never raises the service's`() {
        var planner = BatchPlanner(.firehose, batchByteLimit: .max)
        let takesAll = planner.takes(4 * 1_024 * 1_024)
        let takesMore = planner.takes(1)
        #expect(takesAll && !takesMore)
    }
}
