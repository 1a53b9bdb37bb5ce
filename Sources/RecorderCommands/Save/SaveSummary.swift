import RecorderEngine

/// What a `save` says at its end, and its status.
struct SaveSummary {
    private let session: Session
    private let settings: SaveSettings
    private let tally: SaveTally

    init(_ session: Session, _ settings: SaveSettings, _ tally: SaveTally) {
        self.session = session
        self.settings = settings
        self.tally = tally
    }

    func report(_ ending: SaveCommand.Ending, _ submitFailure: ExitStatus?, _ elapsed: Duration) -> ExitStatus {
        let console = session.console
        tally.finish()
        for refusal in ending.refused {
            console.error(
                "record \(Formatting.count(refusal.number)) is \(Formatting.count(refusal.bytes)) bytes; the limit is "
                    + "\(Formatting.count(settings.policy.maximumRecordBytes)). It was not saved: split it or compress it."
            )
        }
        if ending.cutOff { console.error("the last record was cut off by the signal; it was not saved.") }
        if let failure = tally.failure {
            console.error("\(failure.message) \(Formatting.records(tally.failed)) read were not saved.")
        }
        if let failure = ending.failure { console.error(failure.message) }
        if let rest = rest(ending) { console.error(rest) }
        var line = "saved \(Formatting.records(tally.saved)) to \(settings.stream) in \(Formatting.elapsed(elapsed))"
        if tally.saved > 0 { line += " (\(Formatting.rate(tally.saved, in: elapsed)))" }
        if ending.refusedCount > 0 { line += "; refused \(Formatting.count(ending.refusedCount))" }
        console.report(line)
        if let failure = tally.failure { return ExitStatus(failure) }
        if let failure = ending.failure { return failure.status }
        if let number = StopSignal.shared.number { return .signal(number) }
        return ending.refusedCount > 0 ? .refusedRecords : submitFailure ?? .success
    }

    /// Where to go on with what was not saved; nil where all was, or a signal ended the reading of a pipe, whose writer
    /// has to be asked.
    private func rest(_ ending: SaveCommand.Ending) -> String? {
        let isWhole = tally.failure == nil && ending.failure == nil
        if isWhole, StopSignal.shared.number == nil || !ending.isRegularFile { return nil }
        var saved = "\(Formatting.records(tally.saved))"
        if ending.refusedCount > 0 { saved = "\(saved) saved, \(Formatting.count(ending.refusedCount)) refused" }
        guard let file = settings.file, ending.isRegularFile else {
            return
                "the first \(Formatting.records(ending.place.records)) of the input (\(Formatting.count(ending.place.byte)) "
                + "bytes) are dealt with: \(saved). What follows them has to be given again."
        }
        return
            "the bytes of \(file) from \(Formatting.count(settings.start)) to \(Formatting.count(ending.place.byte)) are "
            + "dealt with: \(saved). To save the rest, give the same command with --from-byte \(ending.place.byte)."
    }
}
