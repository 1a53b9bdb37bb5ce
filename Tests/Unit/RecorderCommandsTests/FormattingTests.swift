import RecorderCommands
import Testing

@Suite struct WordingTests {
    @Test(arguments: [
        ("0", 0), ("500", 500), ("64K", 65_536), ("64KiB", 65_536), ("2g", 2 << 30), ("1TB", 1 << 40), ("", nil),
        ("K", nil), ("-1", nil), ("1.5G", nil), ("9x", nil), ("9999999999T", nil), ("16T", 16 << 40), ("17T", nil),
    ])
    func `sizes are read as people write them`(text: String, bytes: Int?) {
        #expect(Formatting.parseBytes(text) == bytes)
    }

    @Test(arguments: [
        ("90", 90), ("90s", 90), ("15m", 900), ("12h", 43_200), ("7d", 604_800), ("d", nil), ("1w", nil),
        ("36500d", 3_153_600_000), ("36501d", nil),
    ])
    func `times are read as people write them`(text: String, seconds: Int?) {
        #expect(Formatting.parseDuration(text) == seconds.map { .seconds($0) })
    }

    @Test func `a bar fits the terminal and says share, rate and time left`() {
        let bar = SubmitProgress.bar("kinesis", 250_000, of: 1_000_000, .seconds(5), width: 100)
        #expect(
            bar == "kinesis [##########------------------------------] 25 %  250,000 of 1,000,000  50,000/s, 0:15 left"
        )
        for width in 1...120 {
            #expect(SubmitProgress.bar("kinesis", 1, of: 3, .seconds(1), width: width).count <= max(width - 1, 1))
        }
    }
}
