import AWSFirehose
import AWSKinesis
import Foundation
import OldCallersSwift5
import RecorderTestSupport
import Testing

/// Calls of the service clients as programs write them, in language mode 5.
@Suite struct OldServiceClientTests {
    @Test func `putRecord's completion handler gets the shard, and the record arrives`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let (shard, error) = await answer { done in
                putOne("one", stream: place.stream) { done(($0, $1)) }
            }
            #expect(shard == "shardId-000000000000" && error == nil)
        }
        #expect(try await stage.kinesis() == ["one"])
    }

    @Test func `putRecords' task has a result for each entry, and a reader's chain gets them back`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let output = try #require(await putMany(["a", "b"], stream: place.stream).value)
            #expect(output.failedRecordCount == 0 && output.records?.count == 2)
            let reader = StreamReader()
            #expect(await answer { reader.read(stream: place.stream, completion: $0) } == ["a", "b"])
        }
    }

    @Test func `a stream that was created is listed`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let name = "\(place.stream)-created"
            // The list is in the order of the names, and has a page for other tests' streams, too.
            let names = await answer { createAndList(name, completion: $0) }
            #expect(!names.isEmpty)
            #expect(await answer { describeMissing(name, completion: $0) } == nil)
        }
    }

    @Test func `a missing stream's error is the enumeration's resourceNotFound`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            #expect(await answer { describeMissing("missing", completion: $0) } == .resourceNotFound)
        }
    }

    @Test func `putRecordBatch and putRecord deliver to Firehose`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let (failed, codes) = await answer { done in
                putBatch(["x", "y"], stream: place.stream) { done(($0, $1)) }
            }
            #expect(failed == 0 && codes == [nil, nil])
            #expect(await answer { putToFirehose("z", stream: place.stream, completion: $0) } == nil)
        }
        #expect(try await stage.firehose() == "xyz")
    }
}
