import RecorderAWS

/// The lines that the log has about the stages of the road: names, counts, bytes and durations, nothing of a record.
enum PipelineLog {
    /// What became of one request.
    static func sent(
        _ batch: Batch,
        _ service: StreamServiceDescription,
        bytes: Int,
        _ answer: BatchSender.Answer,
        _ time: Duration
    ) {
        let head = "send: \(service.name) stream \(batch.stream): \(batch.records.count) records, \(bytes) bytes: "
        let after = " after \(milliseconds(time))"
        switch answer {
        case .outcomes(let outcomes):
            guard !answer.isDelivered else { return RecorderLog.debug("\(head)delivered\(after).") }
            RecorderLog.info("\(head)\(summary(outcomes))\(after).")
        case .unreadable(let reason): RecorderLog.error("\(head)no readable answer\(after): \(reason)")
        case .refused(let failure): RecorderLog.error("\(head)refused\(after): \(failure)")
        case .failed(let failure): RecorderLog.error("\(head)failed\(after): \(failure)")
        case .notSent(let error): RecorderLog.error("\(head)not sent: \(error.message)")
        }
    }

    /// Why a request is not sent at once.
    static func waits(_ batch: Batch, _ wait: Duration) {
        RecorderLog.debug("send: stream \(batch.stream) throttles: its next batch waits \(milliseconds(wait)).")
    }

    /// What an answer proved.
    static func settled(_ stream: StreamName, delivered: Int, retried: Int, discarded: Int) {
        RecorderLog.verbose(
            "settle: stream \(stream): \(delivered) delivered, \(retried) failed and kept, \(discarded) discarded."
        )
    }

    /// What a whole flush came to.
    static func flushed(_ service: StreamServiceDescription, streams: Int, _ report: FlushReport, _ time: Duration) {
        RecorderLog.info(
            "flush: \(service.name): \(streams) streams, \(report.delivered) records delivered, "
                + "\(report.discarded) discarded, \(report.failures.count) streams kept records, in \(milliseconds(time))."
        )
    }

    /// Once a store: its callbacks have taken all threads that they may.
    static func stuckCallbacks(_ count: Int) {
        RecorderLog.error("\(count) completion blocks of a store are blocked; later ones wait until one of them ends.")
    }

    private static func summary(_ outcomes: [Outcome]) -> String {
        var delivered = 0
        var rejected = 0
        var unproven = 0
        var codes: [String: Int] = [:]
        for outcome in outcomes {
            switch outcome {
            case .delivered: delivered += 1
            case .rejected: rejected += 1
            case .unproven: unproven += 1
            case .retry(let code, _): codes[code, default: 0] += 1
            }
        }
        let failed = codes.sorted { $0.key < $1.key }.map { "\($0.value) failed with \($0.key)" }
        return (["\(delivered) delivered"] + failed + ["\(rejected) called invalid", "\(unproven) without a word"])
            .joined(separator: ", ")
    }

    private static func milliseconds(_ time: Duration) -> String {
        "\(time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000) ms"
    }
}
