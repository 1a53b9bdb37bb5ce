import RecorderAWS
import RecorderStore

extension BatchSender {
    /// Logs what became of one request: names, counts, bytes and durations, nothing of a record.
    func log(_ answer: Answer, to batch: Batch, bytes: Int, time: Duration) {
        let request =
            "send: \(service.name) stream \(batch.stream): \(batch.records.count) records"
            + (batch.sharesEntries ? " in \(batch.entryCount) entries" : "") + ", \(bytes) bytes: "
        switch answer {
        case .outcomes(let outcomes):
            guard !answer.isDelivered else { return RecorderLog.debug("\(request)delivered after \(time.text).") }
            RecorderLog.info("\(request)\(Self.summary(of: outcomes)) after \(time.text).")
        case .unreadable(let reason): RecorderLog.error("\(request)no readable answer after \(time.text): \(reason)")
        case .refused(let failure): RecorderLog.error("\(request)refused after \(time.text): \(failure)")
        case .failed(let failure): RecorderLog.error("\(request)failed after \(time.text): \(failure)")
        case .notSent(let error): RecorderLog.error("\(request)not sent: \(error.message)")
        case .mustBeSeparated: break
        }
    }

    private static func summary(of outcomes: [Outcome]) -> String {
        var delivered = 0
        var rejected = 0
        var unproven = 0
        var misplaced = 0
        var codes: [String: Int] = [:]
        for outcome in outcomes {
            switch outcome {
            case .delivered: delivered += 1
            case .rejected: rejected += 1
            case .unproven: unproven += 1
            case .misplaced: misplaced += 1
            case .retry(let code, _): codes[code, default: 0] += 1
            }
        }
        var failed = codes.sorted { $0.key < $1.key }.map { "\($0.value) failed with \($0.key)" }
        if misplaced > 0 { failed.append("\(misplaced) in a shard that does not hold their key") }
        return (["\(delivered) delivered"] + failed + ["\(rejected) called invalid", "\(unproven) without an answer"])
            .joined(separator: ", ")
    }
}
