/// What a program took for a number of records.
struct Cost {
    let records: Int
    /// Wall-clock time.
    let seconds: Double
    /// Processor time of all threads.
    let processorSeconds: Double
    /// The peak of resident memory.
    let peakMegabytes: Double
    /// The peak of the memory that is the program's own, not that of a file.
    let peakOwnMegabytes: Double

    var rate: Double { Double(records) / seconds }
    var microsecondsPerRecord: Double { processorSeconds * 1e6 / Double(records) }

    /// Reads what `measure.c` prints.
    init(of records: Int, printed text: String) {
        let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard figures.count == 4 else { fatalError("A program printed no figures: \(text)") }
        self.records = records
        (seconds, processorSeconds) = (figures[0], figures[1])
        (peakMegabytes, peakOwnMegabytes) = (figures[2] * 1_024 / 1e6, figures[3] * 1_024 / 1e6)
    }
}
