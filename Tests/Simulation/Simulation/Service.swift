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
    let laws: Laws

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        Ledger.requests.value += 1
        guard !request.headers.contains(where: { $0.value == "application/x-amz-cbor-1.1" }) else {
            return await refuseFormat()
        }
        let put = PutRequest(request.body)
        machine_tell("request", Int64(put.records.count), Int64(request.body.count))
        let began = Int(machine_now())
        check(put)
        let mood = Mood(rawValue: Ledger.mood(of: put.stream).value) ?? .answers
        await pause(milliseconds: Chance.below(mood == .isSlow ? 20_000 : 80))
        switch mood {
        case .isMissing:
            fail(put.records)
            return Self.error(400, "ResourceNotFoundException")
        case .hasAnError:
            fail(put.records)
            return Self.error(500, "InternalFailure")
        case .losesRequests: throw HTTPFailure(.cannotConnect, "The request was lost.")
        case .losesAnswers:
            arrive(put.records, of: began, isTold: false)
            throw HTTPFailure(.connectionLost, "The answer was lost.")
        case .failsEntries, .throttlesEntries:
            return answerInPart(put.records, of: began, throttles: mood == .throttlesEntries)
        case .answers, .isSlow:
            let taken = laws.profile.serviceLies ? Array(put.records.dropLast(Chance.below(2))) : put.records
            arrive(taken, of: began, isTold: true)
            return Self.answer(put.records.map { _ in nil })
        }
    }

    /// A process tries a format once: with each stream to which it sends at the same time.
    private func refuseFormat() async -> HTTPResponse {
        await pause(milliseconds: Chance.below(80))
        let count = Ledger.wrongFormats(of: max(Ledger.process(of: life).value, 0))
        count.value += 1
        if count.value > Ledger.mostStreams {
            Ledger.violate("a format that is refused is not tried again", life, count.value)
        }
        return Self.error(415, "UnsupportedMediaType")
    }

    /// What can be seen of a request before it is answered.
    private func check(_ put: PutRequest) {
        let bytes = put.records.reduce(0) { $0 + $1.data.count + $1.keyBytes }
        if put.records.count > 1, bytes > laws.settings.requestBytes {
            Ledger.violate("a request is within its limit", bytes, laws.settings.requestBytes)
        }
        let process = Ledger.process(of: life).value
        // A request that was decided on may still wait for its turn.
        let isLate = Ledger.clearedAt(by: process).value + 1_000_000_000 < Int(machine_now())
        guard process > 0, isLate, !laws.profile.network else { return }
        let end = Ledger.clearedEnd(by: process).value
        for sent in put.records where sent.number < end && Ledger.Entry(number: sent.number).life == life {
            Ledger.violate("what was cleared is not sent", sent.number, end)
        }
    }

    /// An answer says that these records failed.
    private func fail(_ records: some Sequence<PutRequest.Sent>) {
        for sent in records where sent.number < Ledger.records.value {
            Ledger.Entry(number: sent.number).failures.value += 1
        }
    }

    /// Takes some entries, and says it of each; or forgets to say it of the last ones, which proves nothing of any.
    private func answerInPart(_ records: [PutRequest.Sent], of began: Int, throttles: Bool) -> HTTPResponse {
        let failed = Set(records.indices.filter { _ in Chance.oneIn(3) })
        let answered = Chance.oneIn(8) ? Chance.below(records.count + 1) : records.count
        let isWhole = answered == records.count
        arrive(records.indices.filter { !failed.contains($0) }.map { records[$0] }, of: began, isTold: isWhole)
        if isWhole { fail(failed.map { records[$0] }) }
        let codes = throttles ? ["ProvisionedThroughputExceededException"] : Self.failures
        return Self.answer(
            records.indices.prefix(answered).map { failed.contains($0) ? codes[Chance.below(codes.count)] : nil }
        )
    }

    /// Codes of entries that were not taken; the last one is no code at all.
    private static let failures = ["InternalFailure", "InvalidKMSResourceException", "SerializationOfKeyException", ""]

    /// Time passes before the answer, also for a task that is cancelled meanwhile.
    private func pause(milliseconds: Int) async {
        try? await Task.sleep(for: .milliseconds(milliseconds))
    }

    /// Records of a request arrive. The process that is told of it must not send them again.
    private func arrive(_ records: [PutRequest.Sent], of began: Int, isTold: Bool) {
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
            // Two may send at the same time if the lease's file is removed, but not for longer than a request.
            let unlockedAt = Ledger.unlockedAt.value
            let isAloneInTime = unlockedAt == 0 || min(entry.toldFrom.value, began) > unlockedAt + 1_000_000_000
            // A save may be stored in a file that is being removed, and once more in the next one.
            let isInOneFile = Ledger.removedAt.value == 0 || entry.calledAt > Ledger.removedAt.value + 1_000_000_000
            if told != 0, !mayForget(told), !isUnsettled(entry, by: told), isAloneInTime, isInOneFile {
                Ledger.violate("a record is sent once where nothing fails", sent.number, told)
            }
            if entry.arrivals.value == 0 {
                entry.key.value = sent.key
                if laws.settings.keepsOrder { checkOrder(of: entry) }
            }
            entry.arrivals.value += 1
            entry.toldTo.value = isTold ? life : 0
            entry.toldFrom.value = began
        }
    }

    /// No older record of its stream and key may be missing.
    private func checkOrder(of entry: Ledger.Entry) {
        let key = Settings.keyNumber(of: entry.number)
        for older in (0..<entry.number).lazy.map(Ledger.Entry.init(number:))
        where older.stream == entry.stream && older.life == entry.life && older.state == .saved
            && older.arrivals.value == 0 && Settings.keyNumber(of: older.number) == key
        {
            Ledger.violate("records of a key arrive in order", older.number, entry.number)
        }
    }

    /// Whether a process may still have to settle what it was told, because another one was stopped while it held the lock: then
    /// others send it again. The process itself does not.
    private func isUnsettled(_ entry: Ledger.Entry, by told: Int) -> Bool {
        let end = entry.toldFrom.value + 10_000_000_000
        return told != life && (1...laws.processes).contains { machine_stall_end(Int32($0)) > end }
    }

    /// Whether a process may not have settled what it was told.
    private func mayForget(_ life: Int) -> Bool {
        laws.profile.diskErrors || Ledger.isRestored.value != 0 || Ledger.wasKilled(life)
    }

    private static func answer(_ codes: [String?]) -> HTTPResponse {
        // The count may be wrong: what counts is each entry.
        let failed = Chance.oneIn(4) ? 0 : codes.count { $0 != nil }
        let entries = codes.map { code in
            switch code {
            case nil: #"{"SequenceNumber":"1","ShardId":"shard"}"#
            case ""?: Chance.oneIn(2) ? "{}" : #"{"ShardId":"shard"}"#
            case let code?: #"{"ErrorCode":"\#(code)","ErrorMessage":"the world's"}"#
            }
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
        let keyBytes: Int

        init(data: [UInt8], key: Int, keyBytes: Int) {
            self.data = data
            self.key = key
            self.keyBytes = keyBytes
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
            found.append(Sent(data: Array(data), key: key.map(Self.hash) ?? 0, keyBytes: key?.count ?? 0))
        }
        records = found
    }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(truncatingIfNeeded: bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }
}
