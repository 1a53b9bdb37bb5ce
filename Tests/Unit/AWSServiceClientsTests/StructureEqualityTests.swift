import AWSKinesisClient
import Foundation
import Testing

/// When two inputs or outputs are equal.
struct StructureEqualityTests {
    private static let record = KinesisClientTypes.Record(
        approximateArrivalTimestamp: Date(timeIntervalSince1970: 1_700_000_000.125),
        data: Data([0, 255]),
        encryptionType: .kms,
        partitionKey: "key",
        sequenceNumber: "1"
    )
    private static let output = GetRecordsOutput(millisBehindLatest: 0, nextShardIterator: "next", records: [record])

    @Test func `structures with the same members are equal`() {
        var copy = Self.output
        #expect(copy == Self.output)
        copy.records?[0].data = Data([0, 255])
        #expect(copy == Self.output)
        #expect(
            AddTagsToStreamInput(tags: ["a": "1", "b": "2"]) == AddTagsToStreamInput(tags: ["b": "2", "a": "1"])
        )
        #expect(AddTagsToStreamOutput() == AddTagsToStreamOutput())
    }

    @Test(
        arguments: [
            { $0.millisBehindLatest = nil },
            { $0.millisBehindLatest = 1 },
            { $0.nextShardIterator = "" },
            { $0.childShards = [] },
            { $0.records = [record, record] },
            { $0.records?[0].data = Data([0]) },
            { $0.records?[0].encryptionType = KinesisClientTypes.EncryptionType.none },
            { $0.records?[0].partitionKey = nil },
            { $0.records?[0].approximateArrivalTimestamp = Date(timeIntervalSince1970: 1_700_000_000.25) },
        ] as [@Sendable (inout GetRecordsOutput) -> Void]
    ) func `structures that differ in one member, at any depth, are not equal`(
        change: @Sendable (inout GetRecordsOutput) -> Void
    ) {
        var changed = Self.output
        change(&changed)
        #expect(changed != Self.output)
    }
}
