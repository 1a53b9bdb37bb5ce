import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderHTTP
import SimulatedMachine

/// The service and the network before it, as one process sees them.
struct Service: HTTPTransport {
    /// What happens to the requests to a stream. The first ones are those of a usual network.
    enum Mood: Int, CaseIterable {
        case answers, isMissing, losesRequests, losesAnswers, failsEntries, throttlesEntries, hasAnError, isSlow
        case hangs, answersLate, garbles, cutsAnswers, throttlesShard, throttles, refusesRecords, expires, denies

        static let usual = 8
    }

    let life: Int
    let laws: Laws
    /// Whether the process takes all streams to place entries by their keys.
    var assumesDistributionByKey = true

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        Ledger.requests.value += 1
        let isCBOR = request.headers.contains { $0.value == "application/x-amz-cbor-1.1" }
        if isCBOR, laws.settings.support == .refuses {
            countWrongFormat()
            await pause(milliseconds: Chance.below(80))
            return Self.error(415, "UnsupportedMediaType")
        }
        let put = PutRequest(request.body)
        let mood = Mood(rawValue: Ledger.mood(of: put.stream).value) ?? .answers
        var response = try await answer(to: request, put, mood)
        if isCBOR, laws.settings.support == .understands { response = response.inCBOR() }
        if mood == .cutsAnswers, response.status == 200 { response.body.removeLast(9) }
        return response
    }

    private func answer(to request: HTTPRequest, _ put: PutRequest, _ mood: Mood) async throws(HTTPFailure)
        -> HTTPResponse
    {
        machine_tell("request", Int64(put.entries.count), Int64(request.body.count))
        let began = Int(machine_now())
        check(put)
        await pause(milliseconds: Chance.below(mood == .isSlow ? 20_000 : 80))
        if let refusal = Signature(request).refusal {
            fail(put.records)
            return refusal
        }
        let target = request.header("X-Amz-Target")
        if target.hasSuffix("DescribeStreamSummary") || target.hasSuffix("ListShards") {
            let shards = Shards.of(put.stream)
            guard mood == .answers else { return Self.error(500, "InternalFailure") }
            if !target.hasSuffix("ListShards") {
                sharesNothing(to: put.stream).value = shards.isAutomatic ? Int(machine_now()) : 0
            }
            return Self.response(200, target.hasSuffix("ListShards") ? shards.list : shards.summary)
        }
        let sent = Sent(put: put, began: began, isFirehose: target.hasPrefix("Firehose"), timeouts: request.timeouts)
        return try await answer(to: sent, mood)
    }

    /// A request with records.
    private struct Sent {
        let put: PutRequest
        let began: Int
        let isFirehose: Bool
        let timeouts: HTTPTimeouts
    }

    private func answer(to sent: Sent, _ mood: Mood) async throws(HTTPFailure) -> HTTPResponse {
        switch mood {
        case .isMissing:
            fail(sent.put.records)
            return Self.error(400, "ResourceNotFoundException")
        case .hasAnError:
            fail(sent.put.records)
            return Self.error(500, "InternalFailure")
        case .throttles:
            fail(sent.put.records)
            return Self.error(400, "ProvisionedThroughputExceededException")
        case .expires:
            fail(sent.put.records)
            return Self.error(400, "ExpiredTokenException")
        case .denies:
            fail(sent.put.records)
            return Self.error(400, "AccessDeniedException")
        case .losesRequests: throw HTTPFailure(.cannotConnect, "The request was lost.")
        case .losesAnswers:
            arrive(sent.put.entries, of: sent.began, isTold: false)
            throw HTTPFailure(.connectionLost, "The answer was lost.")
        case .hangs, .answersLate:
            // It trickles, and is there just in time.
            if mood == .answersLate, sent.began % 3 == 0 {
                await pause(milliseconds: Int((sent.timeouts.total ?? .seconds(600)) / .milliseconds(1)) * 9 / 10)
                return take(sent, .answers)
            }
            if Chance.oneIn(2) { arrive(sent.put.entries, of: sent.began, isTold: false) }
            let limit = mood == .hangs ? sent.timeouts.stall : sent.timeouts.total ?? .seconds(600)
            if (try? await Task.sleep(for: limit)) == nil {
                throw HTTPFailure(.cancelled, "The request was cancelled.")
            }
            throw HTTPFailure(.timedOut, "The answer did not come.")
        case .garbles, .cutsAnswers:
            arrive(sent.put.entries, of: sent.began, isTold: false)
            let results = [Result](repeating: .taken("shard"), count: sent.put.entries.count)
            return mood == .garbles ? Self.response(200, "<html>") : Self.answer(results, sent.isFirehose)
        case .refusesRecords where refuses(sent):
            if let record = sent.put.records.first, sent.put.records.count == 1 {
                Ledger.Entry(number: record.number).wasRefused(inMinute: minute(of: sent))
            }
            return Self.error(400, "InvalidArgumentException")
        case .failsEntries, .throttlesEntries, .throttlesShard, .answers, .isSlow, .refusesRecords:
            return take(sent, mood)
        }
    }

    /// Because of a record that is invalid; or for a minute of each four whatever is sent, as after a change of the stream.
    private func refuses(_ sent: Sent) -> Bool {
        minute(of: sent) % 4 == 0 || sent.put.records.contains { Ledger.Entry(number: $0.number).isInvalid }
    }

    private func minute(of sent: Sent) -> Int { sent.began / 60_000_000_000 }

    /// What an answer says of an entry.
    private enum Result {
        case taken(String)
        case failed(String)
    }

    /// Takes some of the entries, and says which ones; or forgets to say it of the last ones, which proves nothing of any.
    private func take(_ sent: Sent, _ mood: Mood) -> HTTPResponse {
        let entries = sent.put.entries
        if laws.profile.reshards, Ledger.isEnding.value == 0, Chance.oneIn(8) { Shards.change(sent.put.stream) }
        let shards = sent.isFirehose || !laws.profile.reshards ? nil : Shards.of(sent.put.stream)
        let failsInPart = mood == .failsEntries || mood == .throttlesEntries
        let answered = failsInPart && Chance.oneIn(8) ? Chance.below(entries.count + 1) : entries.count
        let codes = mood == .failsEntries ? Self.failures : ["ProvisionedThroughputExceededException"]
        var results: [Result] = []
        for entry in entries {
            let shard = shards?.place(Shards.hashKey(of: entry.key))
            let fails = failsInPart ? Chance.oneIn(3) : mood == .throttlesShard && (shard ?? results.count) % 2 == 0
            guard !fails else {
                results.append(.failed(codes[Chance.below(codes.count)]))
                if answered == entries.count { fail(entry.records) }
                continue
            }
            results.append(.taken(shard.flatMap { shards?.name($0) } ?? "shard"))
            if laws.profile.serviceLies, Chance.oneIn(2) { continue }
            take(entry, of: sent.began, isTold: answered == entries.count, shards: shards, shard: shard)
        }
        return Self.answer(results.prefix(answered), sent.isFirehose)
    }

    /// Codes of entries that were not taken; the last one is no code at all.
    private static let failures = ["InternalFailure", "InvalidKMSResourceException", "SerializationOfKeyException", ""]

    /// An entry arrives. Of a shared one, only what is in the shard of its key reaches a consumer.
    private func take(_ entry: PutRequest.Entry, of began: Int, isTold: Bool, shards: Shards?, shard: Int?) {
        guard let shards, let shard, entry.isShared else { return arrive([entry], of: began, isTold: isTold) }
        let knownAt = sharesNothing(to: shards.stream).value
        if knownAt > 0, began > knownAt + 1_000_000_000 {
            Ledger.violate("nothing shares an entry that is placed by chance", shards.stream, life)
        }
        var rest = entry
        rest.records.removeAll { !shards.takes($0.hashKey, from: shard) }
        if isTold, shards.isAutomatic, rest.records.count < entry.records.count {
            sharesNothing(to: shards.stream).value = Int(machine_now())
        }
        // Whether it was in its place, a process may have to guess.
        arrive([rest], of: began, isTold: isTold && assumesDistributionByKey && !shards.isAutomatic)
    }

    private func sharesNothing(to stream: Int) -> Ledger.Cell {
        Ledger.sharesNothing(max(Ledger.process(of: life).value, 0), to: stream)
    }

    /// A process tries a format once: with each stream to which it sends at the same time.
    private func countWrongFormat() {
        let count = Ledger.wrongFormats(of: max(Ledger.process(of: life).value, 0))
        count.value += 1
        if count.value > Ledger.mostStreams {
            Ledger.violate("a format that is refused is not tried again", life, count.value)
        }
    }

    /// Time passes before the answer, also for a task that is cancelled meanwhile.
    private func pause(milliseconds: Int) async {
        try? await Task.sleep(for: .milliseconds(milliseconds))
    }

    /// What can be seen of a request before it is answered.
    private func check(_ put: PutRequest) {
        let bytes = put.records.reduce(0) { $0 + $1.data.count + $1.keyBytes }
        if !laws.profile.hasOtherPrograms, !laws.profile.reshards, put.records.count > 1,
            bytes > laws.settings.requestBytes
        {
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

    /// Records of a request arrive. The process that is told of it must not send them again.
    private func arrive(_ entries: [PutRequest.Entry], of began: Int, isTold: Bool) {
        for sent in entries.lazy.flatMap(\.records) {
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
                entry.key.value = entry.hasGivenKey.value == 0 ? sent.key : 0
                laws.checkDelay(of: entry)
                if laws.settings.keepsOrder { checkOrder(of: entry) }
            }
            entry.arrivals.value += 1
            entry.toldTo.value = isTold ? life : 0
            entry.toldFrom.value = began
        }
    }

    /// No older record of its stream and key may be missing.
    private func checkOrder(of entry: Ledger.Entry) {
        // Firehose keeps none, nor do the clients.
        guard entry.store == .kinesis, Ledger.wasAutomatic(entry.stream).value == 0 else { return }
        let key = Settings.keyNumber(of: entry.number)
        for older in (0..<entry.number).lazy.map(Ledger.Entry.init(number:))
        where older.stream == entry.stream && older.life == entry.life && older.state == .saved
            && older.arrivals.value == 0 && Settings.keyNumber(of: older.number) == key
            && !(laws.profile.badService && (older.isInvalid || older.wasRefused))
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

    /// Whether a process may not have settled what it was told: then it, or on a disk that cannot be written only others, may send
    /// it again.
    private func mayForget(_ told: Int) -> Bool {
        laws.profile.diskErrors || laws.profile.readOnly && told != life || Ledger.isRestored.value != 0
            || Ledger.wasKilled(told)
    }

    // MARK: - answers

    private static func answer(_ results: some Collection<Result>, _ isFirehose: Bool) -> HTTPResponse {
        // The count may be wrong: what counts is each entry.
        var failed = 0
        let hidesFailures = Chance.oneIn(4)
        let entries = results.map { result in
            switch result {
            case .failed(let code):
                failed += hidesFailures ? 0 : 1
                guard !code.isEmpty else { return Chance.oneIn(2) ? "{}" : #"{"ShardId":"shard"}"# }
                return #"{"ErrorCode":"\#(code)","ErrorMessage":"the world's"}"#
            case .taken(let shard):
                return isFirehose ? #"{"RecordId":"1"}"# : #"{"SequenceNumber":"1","ShardId":"\#(shard)"}"#
            }
        }
        let list = entries.joined(separator: ",")
        return response(
            200,
            isFirehose
                ? #"{"FailedPutCount":\#(failed),"RequestResponses":[\#(list)]}"#
                : #"{"FailedRecordCount":\#(failed),"Records":[\#(list)]}"#
        )
    }

    static func error(_ status: Int, _ code: String) -> HTTPResponse {
        response(status, #"{"__type":"\#(code)","message":"the world's"}"#)
    }

    private static func response(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [
                HTTPHeader("Content-Type", "application/x-amz-json-1.1"), HTTPHeader("x-amzn-RequestId", "1"),
                HTTPHeader("Date", Signature.dateHeader),
            ],
            body: Array(body.utf8)
        )
    }
}

extension HTTPRequest {
    /// The value of a header; empty if there is none.
    func header(_ name: String) -> String { headers.first { $0.name == name }?.value ?? "" }
}

extension HTTPResponse {
    fileprivate func inCBOR() -> HTTPResponse {
        guard let value = JSONValue(body) else { return self }
        var response = self
        response.body = []
        value.append(to: &response.body)
        return response
    }
}

extension JSONValue {
    /// Appends what answers consist of, in CBOR.
    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .object(let members):
            CBOR.appendHead(.map, members.count, to: &bytes)
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                CBOR.appendText(name.utf8, to: &bytes)
                value.append(to: &bytes)
            }
        case .list(let values):
            CBOR.appendHead(.array, values.count, to: &bytes)
            for value in values { value.append(to: &bytes) }
        case .string(let text): CBOR.appendText(text.utf8, to: &bytes)
        case .integer(let number): CBOR.appendHead(.unsigned, number, to: &bytes)
        case .null, .bool, .double: bytes.append(CBOR.null)
        }
    }
}
