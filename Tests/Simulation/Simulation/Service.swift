import FoundationEssentials
import RecorderHTTP
import SimulatedMachine

/// The service and the network before it, as one process sees them.
struct Service: HTTPTransport {
    /// What happens to the requests to a stream.
    enum Mood: Int, CaseIterable {
        case answers, isMissing, losesRequests, losesAnswers, failsEntries, throttlesEntries, hasAnError, isSlow
    }

    let life: Int
    let lies: Bool
    /// Whether the disk may have kept the process from settling what it was told.
    let diskFails: Bool

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        Ledger.requests.value += 1
        let put = PutRequest(request.body)
        machine_tell("request", Int64(put.records.count), Int64(request.body.count))
        let mood = Mood(rawValue: Ledger.mood(of: put.stream).value) ?? .answers
        await pause(milliseconds: Chance.below(mood == .isSlow ? 20_000 : 80))
        switch mood {
        case .isMissing: return Self.error(400, "ResourceNotFoundException")
        case .hasAnError: return Self.error(500, "InternalFailure")
        case .losesRequests: throw HTTPFailure(.cannotConnect, "The request was lost.")
        case .losesAnswers:
            arrive(put.records, isTold: false)
            throw HTTPFailure(.connectionLost, "The answer was lost.")
        case .failsEntries, .throttlesEntries:
            let code = mood == .failsEntries ? "InternalFailure" : "ProvisionedThroughputExceededException"
            let failed = Set(put.records.indices.filter { _ in Chance.oneIn(3) })
            arrive(put.records.indices.filter { !failed.contains($0) }.map { put.records[$0] }, isTold: true)
            return Self.answer(put.records.indices.map { failed.contains($0) ? code : nil })
        case .answers, .isSlow:
            let taken = lies ? Array(put.records.dropLast(Chance.below(2))) : put.records
            arrive(taken, isTold: true)
            return Self.answer(put.records.map { _ in nil })
        }
    }

    /// Time passes before the answer, also for a task that is cancelled meanwhile.
    private func pause(milliseconds: Int) async {
        try? await Task.sleep(for: .milliseconds(milliseconds))
    }

    /// Records arrive. The process that is told of it must not send them again.
    private func arrive(_ records: [PutRequest.Sent], isTold: Bool) {
        for sent in records {
            guard sent.number < Ledger.records.value else {
                Ledger.violate("the service gets only what was saved", sent.number)
                continue
            }
            let entry = Ledger.Entry(number: sent.number)
            if !sent.isWhole(entry.bytes) {
                Ledger.violate("a record arrives as it was saved", sent.number, sent.data.count)
            }
            let told = entry.toldTo.value
            if told != 0, !mayForget(told) {
                Ledger.violate("a record is sent once where nothing fails", sent.number, told)
            }
            if entry.arrivals.value == 0 { entry.key.value = sent.key }
            entry.arrivals.value += 1
            entry.toldTo.value = isTold ? life : 0
        }
    }

    /// Whether a process may not have settled what it was told.
    private func mayForget(_ life: Int) -> Bool { diskFails || Ledger.isRestored.value != 0 || Ledger.wasKilled(life) }

    private static func answer(_ codes: [String?]) -> HTTPResponse {
        let failed = codes.count { $0 != nil }
        let entries = codes.map { code in
            code.map { #"{"ErrorCode":"\#($0)","ErrorMessage":"the world's"}"# }
                ?? #"{"SequenceNumber":"1","ShardId":"shard"}"#
        }
        return response(200, #"{"FailedRecordCount":\#(failed),"Records":[\#(entries.joined(separator: ","))]}"#)
    }

    private static func error(_ status: Int, _ code: String) -> HTTPResponse {
        response(status, #"{"__type":"\#(code)","message":"the world's"}"#)
    }

    private static func response(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [HTTPHeader("Content-Type", "application/x-amz-json-1.1")],
            body: Array(body.utf8)
        )
    }
}

/// The body of a request, read by scanning for the few fields that the product writes.
struct PutRequest {
    /// A record in it. Its data begins with the record's number.
    struct Sent {
        let number: Int
        let data: [UInt8]
        let key: Int

        init(data: [UInt8], key: Int) {
            self.data = data
            self.key = key
            number = Int(String(decoding: data.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? .max
        }

        func isWhole(_ bytes: Int) -> Bool { data == Sent.data(number, bytes: bytes) }

        static func data(_ number: Int, bytes: Int) -> [UInt8] {
            let head = Array("\(number) ".utf8)
            return head + Array(repeating: UInt8(ascii: "a") + UInt8(number % 26), count: max(bytes - head.count, 0))
        }
    }

    let stream: Int
    let records: [Sent]

    init(_ body: [UInt8]) {
        var texts: [(name: String, value: ArraySlice<UInt8>)] = []
        var index = 0
        var name = ""
        while let start = body[index...].firstIndex(of: UInt8(ascii: "\"")) {
            guard let end = body[(start + 1)...].firstIndex(of: UInt8(ascii: "\"")) else { break }
            let text = body[(start + 1)..<end]
            index = end + 1
            if index < body.count, body[index] == UInt8(ascii: ":") {
                name = String(decoding: text, as: UTF8.self)
            } else {
                texts.append((name, text))
            }
        }
        stream =
            texts.first { $0.name == "StreamName" }.flatMap {
                Int(String(decoding: $0.value.dropFirst(), as: UTF8.self))
            } ?? 0
        var found: [Sent] = []
        for (position, text) in texts.enumerated() where text.name == "Data" {
            let data = Data(base64Encoded: Data(text.value)) ?? Data()
            let next = position + 1 < texts.count ? texts[position + 1] : nil
            let key = next?.name == "PartitionKey" ? next?.value : nil
            found.append(Sent(data: Array(data), key: key.map(Self.hash) ?? 0))
        }
        records = found
    }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(truncatingIfNeeded: bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }
}
