import RecorderAWS
import RecorderHTTP
import RecorderSQLite
import RecorderStore
import RecorderTestSupport
import Testing

/// One row of the table of outcomes: what the service answers for a stream, and the expected result for its records.
///
/// The records are "0", "1", "2" ... in one stream. A neighbour stream has one record, which must always arrive. Rows
/// with short timeouts have no neighbour, because it could time out on a busy machine.
struct OutcomeRow: Sendable, CustomTestStringConvertible {
    /// Why a stream kept records: the kind of failure, where it came from.
    enum Cause: Sendable {
        case service(ServiceFailure.Kind)
        case transport(HTTPFailure.Kind)
    }

    let name: String
    var service = StreamServiceDescription.kinesis
    var format = RequestFormat.json
    /// Whether the records share one entry of each request.
    var sharesEntries = false
    var records = 3
    var timeouts: HTTPTimeouts?
    let answer: @Sendable (PutCall) -> Reply

    /// The exact number of requests of the stream.
    var requests = 1
    /// What is still stored afterwards; nil for all.
    var kept: [String]? = []
    /// The code that deleted records are reported with, once each.
    var deleted: [String] = []
    /// Why the stream is reported; nil for success.
    var cause: Cause?
    /// A part of that error's message.
    var says = ""
    /// The longest delay before each retry.
    var delays: [Duration] = []

    var testDescription: String { "\(service.name), \(format)\(sharesEntries ? ", shared" : ""): \(name)" }

    /// Runs the row through a whole pipeline, and then checks that the kept records can still be delivered.
    func verify() async throws {
        let all = (0..<records).map(String.init)
        let kept = kept ?? all
        let sent = Recorded<[String]>()
        let server = try LocalServer { request, _ in
            let seen = ParsedPutRequest(request)
            guard seen.stream == "stream" else {
                return call(0, seen.texts).acceptsAndCloses().encoded(for: request)
            }
            return answer(call(sent.append(seen.texts), seen.texts)).encoded(for: request)
        }
        let pauses = Recorded<Duration>()
        let harness = try PipelineHarness(service, to: server, format, sharesEntries: sharesEntries) { [timeouts] in
            if let timeouts { $0.timeouts = timeouts }
            $0.random = { 1 }
            $0.pause = { pauses.append($0) }
        }
        try await harness.saveAll(all)
        let neighbours = timeouts == nil ? 1 : 0
        if neighbours > 0 { try await harness.save("neighbour", to: "neighbour") }
        let report = try await harness.flush()

        #expect(try harness.storedTexts() == kept)
        #expect(report.delivered == records - kept.count - deleted.count + neighbours)
        #expect(harness.events.discards.map(\.reason) == deleted.map { .rejected(code: $0) })
        // On a busy machine a request may time out before the server has read it, or before it is sent; the delays count them.
        #expect(timeouts == nil ? sent.all.count == requests : sent.all.count <= requests)
        if sharesEntries { #expect(sent.all.allSatisfy { $0.count == 1 }) }
        #expect(pauses.all == delays)
        #expect(try harness.storedFailures().allSatisfy { $0 == 0 })
        check(report.failures)
        #expect(server.requests.allSatisfy { $0.isCBOR == (format == .cbor) })
        try await deliver(kept, of: harness)
    }

    private func check(_ reported: [FlushReport.Failure]) {
        guard let cause else {
            #expect(reported.isEmpty)
            return
        }
        #expect(reported.map(\.stream.rawValue) == ["stream"])
        guard case .service(let failure)? = reported.first?.error else {
            Issue.record("not a failure of the service: \(reported)")
            return
        }
        switch (cause, failure.kind) {
        case (.service(let expected), let kind): #expect(kind == expected)
        case (.transport(let expected), .transport(let failure)): #expect(failure.kind == expected)
        case (.transport(let expected), let kind): Issue.record("\(kind) instead of \(expected)")
        }
        let text = "\(failure)"
        #expect(text.contains(says), "\(text)")
        #expect(!failure.message.isEmpty)
    }

    private func deliver(_ kept: [String], of harness: PipelineHarness) async throws {
        let texts = Recorded<[String]>()
        let server = try LocalServer { request, index in
            let seen = ParsedPutRequest(request)
            texts.append(seen.texts)
            return call(index, seen.texts).accepts().encoded(for: request)
        }
        let later = try PipelineHarness(service, to: server, in: harness.directory) { $0.requestFormat = format }
        let report = try await later.flush()
        #expect(report.delivered == kept.count && report.failures.isEmpty)
        #expect(texts.all.flatMap { $0 } == kept)
        #expect(try later.records() == 0)
    }

    private func call(_ index: Int, _ texts: [String]) -> PutCall {
        PutCall(service: service, index: index, texts: texts)
    }
}

extension [OutcomeRow] {
    /// The rows of Kinesis, with records that share an entry.
    var sharingEntries: [OutcomeRow] {
        filter(\.service.sendsPartitionKey).map { row in
            var row = row
            row.sharesEntries = true
            row.says = row.says.replacing("of 3", with: "of 1")
            return row
        }
    }

    /// The same rows, and those of Kinesis in each other format.
    var inEachFormat: [OutcomeRow] {
        self
            + filter { $0.service.requestFormats.contains(.cbor) }.map { row in
                var row = row
                row.format = .cbor
                return row
            }
    }
}

extension PipelineHarness {
    init(
        _ service: StreamServiceDescription,
        to server: LocalServer,
        _ format: RequestFormat = .json,
        sharesEntries: Bool = false,
        calling configure: @escaping @Sendable (inout CallConfiguration) -> Void
    ) throws {
        try self.init(
            service,
            to: server,
            in: nil,
            {
                $0.requestFormat = format
                if sharesEntries { $0.sharedEntryBytes = 51_200 }
            },
            calling: configure
        )
    }

    /// The failures counted for each stored record.
    func storedFailures() throws -> [Int64] { try StoredRecord.all(at: path).map(\.failures) }
}
