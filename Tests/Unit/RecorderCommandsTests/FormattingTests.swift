import RecorderCommands
import Testing

@Suite struct FormattingTests {
    @Test(arguments: [
        ("0", 0), ("500", 500), ("64K", 65_536), ("64KiB", 65_536), ("2g", 2 << 30), ("1TB", 1 << 40), ("", nil),
        ("K", nil), ("-1", nil), ("1.5G", nil), ("9x", nil), ("9999999999T", nil), ("16T", 16 << 40), ("17T", nil),
        ("7b", 7), ("2kib", 2_048),
        ("5BIB", nil), ("5IB", nil), ("5BK", nil), ("5KBIB", nil),
    ])
    func `a size may have a unit`(text: String, bytes: Int?) {
        #expect(ByteCount(typed: text)?.bytes == bytes)
    }

    @Test(arguments: [
        ("90", 90), ("90s", 90), ("15m", 900), ("12h", 43_200), ("7d", 604_800), ("d", nil), ("1w", nil),
        ("36500d", 3_153_600_000), ("36501d", nil),
    ])
    func `a time may have a unit`(text: String, seconds: Int?) {
        #expect(Duration(typed: text) == seconds.map { .seconds($0) })
    }

    @Test(arguments: [
        (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_587, "1.5 KiB"), (1_048_575, "1024.0 KiB"),
        (5 << 30, "5.0 GiB"),
        (.max, "8388608.0 TiB"),
    ])
    func `a size is shown in its unit, with one decimal`(bytes: Int, text: String) {
        #expect(ByteCount(bytes).description == text)
    }

    @Test func `a bar fits the terminal and shows share, rate and time left`() {
        let line = ProgressLine(title: "kinesis", delivered: 250_000, total: 1_000_000, elapsed: .seconds(5))
        #expect(
            line.bar(width: 100)
                == "kinesis [##########------------------------------] 25 %  250,000 of 1,000,000  50,000/s, 0:15 left"
        )
        for width in 1...120 {
            let line = ProgressLine(title: "kinesis", delivered: 1, total: 3, elapsed: .seconds(1))
            #expect(line.bar(width: width).count <= max(width - 1, 1))
        }
    }
}
