import AWSKinesis
import Foundation
import Testing

/// `AWSKinesisAggregation`.
@Suite struct AggregationTests {
    /// Made by AWS's library for Python, aws-kinesis-agg: "one", "" and 200 bytes with the keys "a", "ключ 🦆" and "a".
    private static let aggregated =
        """
        84mawgoBYQoN0LrQu9GO0Ycg8J+mhhImNjc5MzM0MzQzOTk5NTY3MzQwMTY2MDg4NjI5MTIzMjAwNTU5NDYaCQgAEAAaA29uZRoGCAEQABoAGs8BCAAQ\
        ABrIAQABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj9AQUJDREVGR0hJSktMTU5PUFFS\
        U1RVVldYWVpbXF1eX2BhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5/gIGCg4SFhoeIiYqLjI2Oj5CRkpOUlZaXmJmam5ydnp+goaKjpKWmp6ip\
        qqusra6vsLGys7S1tre4ubq7vL2+v8DBwsPExcbHqbEe/W4LQ4atckpmPgtuWQ==
        """

    @Test func `an aggregated record gives its records in order, with data that begins at index 0`() throws {
        let data = try #require(Data(base64Encoded: Self.aggregated))
        let record = KinesisClientTypes.Record(data: data, partitionKey: "entry key", sequenceNumber: "49")
        let records = AWSKinesisAggregation.records(from: record)
        #expect(records.map(\.data) == [Data("one".utf8), Data(), Data([UInt8](0..<200))])
        #expect(records.map(\.partitionKey) == ["a", "ключ 🦆", "a"])
        #expect(records.allSatisfy { $0.explicitHashKey == "67933434399956734016608862912320055946" })
        #expect(records.last?.data[199] == 199)
        // A part of other data is not indexed from 0.
        #expect(AWSKinesisAggregation.records(from: (Data([0]) + data).dropFirst()) == records)
    }

    @Test func `a record that is not aggregated is returned as it is`() {
        for data in [Data(), Data("text".utf8), Data([0xF3, 0x89, 0x9A, 0xC2]), Data(count: 100)] {
            let record = KinesisClientTypes.Record(data: data, partitionKey: "k", sequenceNumber: "49")
            let records = AWSKinesisAggregation.records(from: record)
            #expect(records.map(\.data) == [data])
            #expect(records.map(\.partitionKey) == ["k"] && records.map(\.explicitHashKey) == [nil])
            #expect(AWSKinesisAggregation.records(from: data).map(\.partitionKey) == [nil])
        }
    }

    @Test func `a damaged one is returned as it is, wherever the damage is`() throws {
        let data = try #require(Data(base64Encoded: Self.aggregated))
        for index in data.indices {
            var changed = data
            changed[index] ^= 0x55
            let records = AWSKinesisAggregation.records(from: changed, partitionKey: "k")
            #expect(records.map(\.data) == [changed] && records.map(\.partitionKey) == ["k"])
            let cut = data.prefix(index)
            #expect(AWSKinesisAggregation.records(from: cut).map(\.data) == [cut])
        }
    }
}
