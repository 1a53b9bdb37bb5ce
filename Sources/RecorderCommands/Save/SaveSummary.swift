import LineRecords
import RecorderStore

/// What `save` prints at its end, and its exit status.
struct SaveSummary {
    let settings: SaveSettings
    let tally: SaveTally
    let reading: SaveCommand.Reading
    let console: Console
    /// Records in the store; nil if it cannot be read.
    let left: Int?

    func print(submitFailure: ExitStatus?, elapsed: Duration, asJSON: Bool) throws(CommandFailure) -> ExitStatus {
        tally.finish()
        for refusal in reading.refused {
            console.error(
                "record \(Formatting.count(refusal.number)) is \(Formatting.count(refusal.bytes)) bytes; the limit is "
                    + "\(Formatting.count(settings.rules.maximumRecordBytes)). It was not saved: split it or compress it."
            )
        }
        if reading.isCutOff { console.error("the last record was cut off by the signal; it was not saved.") }
        if let failure = tally.failure {
            console.error(
                "\(failure.message) \(Formatting.records(tally.failed)) read \(tally.failed == 1 ? "was" : "were") not saved."
            )
        }
        if let failure = reading.failure { console.error(failure.message) }
        if let instructions { console.error(instructions) }
        var line =
            "saved \(Formatting.records(tally.saved)) to \(StreamName(unchecked: settings.stream)) in \(Formatting.elapsed(elapsed))"
        if tally.saved > 0 { line += " (\(Formatting.rate(tally.saved, in: elapsed)))" }
        if reading.refusedCount > 0 { line += "; refused \(Formatting.count(reading.refusedCount))" }
        if reading.position.dropped > 0 { line += "; left out \(Formatting.count(reading.position.dropped))" }
        if reading.withoutKey > 0 { line += "; \(Formatting.count(reading.withoutKey)) without the text for their key" }
        line += RecordCounts.summary(ofGivenUp: reading.givenUp)
        if settings.submits { line += "; delivered \(Formatting.count(tally.deliveries.delivered))" }
        console.report(line)
        if asJSON { console.print(json: try JSONText.text(of: summary(elapsed))) }
        return status ?? submitFailure ?? .success
    }

    private func summary(_ elapsed: Duration) -> RunSummary {
        RunSummary(
            saved: tally.saved,
            delivered: tally.deliveries.delivered,
            discarded: tally.deliveries.discarded,
            left: left,
            refused: reading.refusedCount,
            durationSeconds: elapsed / .seconds(1)
        )
    }

    private var status: ExitStatus? {
        if let failure = tally.failure { return ExitStatus(failure) }
        if let failure = reading.failure { return failure.status }
        if let number = StopSignal.shared.number, !isOrderlyStop { return .signal(number) }
        return reading.refusedCount > 0 ? .refusedRecords : nil
    }

    /// Whether a signal left nothing behind: with --submit, a stop is how the saving from a pipe ends.
    private var isOrderlyStop: Bool { settings.submits && !reading.isCutOff && !reading.hasRest }

    /// How to save the rest. nil if everything was saved, and after a signal if nothing of the input is left.
    private var instructions: String? {
        let isWhole = tally.failure == nil && reading.failure == nil
        if isWhole, StopSignal.shared.number == nil || !reading.hasRest { return nil }
        var counts = "\(Formatting.records(tally.saved)) saved"
        if reading.refusedCount > 0 { counts += ", \(Formatting.count(reading.refusedCount)) refused" }
        let (records, byte) = (reading.position.records, reading.position.byte)
        guard let file = settings.file, reading.isRegularFile else {
            guard byte > 0 else { return nil }
            return
                "the first \(Formatting.records(records)) of the input (\(Formatting.counted(byte, "byte"))) "
                + "\(records == 1 ? "is" : "are") done: "
                + "\(counts). Send the rest again."
        }
        return
            "bytes \(Formatting.count(settings.start)) to \(Formatting.count(byte)) of \(file) are done: \(counts). "
            + "To save the rest, run the same command with --from-byte \(byte)."
    }
}
