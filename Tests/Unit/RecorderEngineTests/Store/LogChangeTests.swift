import Testing

@testable import RecorderStore

/// What another program has done to a log that is open, in all cases that can be told apart.
@Suite struct LogChangeTests {
    private struct Case: CustomStringConvertible {
        let files, inUse: LogFiles
        let moved: String
        let isWhole, isDatabaseOurs: Bool

        var change: LogChange {
            LogChange(
                of: LogChangeTests.open,
                found: files,
                inUse: inUse.text,
                moved: moved,
                isWhole: isWhole,
                isDatabaseOurs: isDatabaseOurs
            )
        }
        var isSameLog: Bool { files.log == LogChangeTests.open.log }
        var description: String {
            "\(files.text), in use \(inUse.text), moved \(moved), whole \(isWhole), ours \(isDatabaseOurs): \(change)"
        }
    }

    private static let (one, two) = (FileIdentity("/"), FileIdentity("/proc"))
    private static let open = LogFiles(log: one, index: two)

    private var cases: [Case] {
        let files = [Self.one, Self.two, nil].flatMap { log in
            [Self.one, Self.two, nil].map { LogFiles(log: log, index: $0) }
        }
        return files.flatMap { found in
            [Self.open, LogFiles(log: Self.two, index: Self.one), LogFiles(log: nil, index: nil)].flatMap { inUse in
                [Self.open.log, Self.two, nil].flatMap { moved in
                    [true, false].flatMap { isWhole in
                        [true, false].map {
                            Case(
                                files: found,
                                inUse: inUse,
                                moved: moved?.description ?? "",
                                isWhole: isWhole,
                                isDatabaseOurs: $0
                            )
                        }
                    }
                }
            }
        }
    }

    @Test func `only the files that were opened, with the end that the index knows, are used on`() {
        #expect(Self.one != Self.two && cases.count == 324)
        for one in cases {
            #expect((one.change == .none) == (one.files == Self.open && one.isWhole), "\(one)")
            #expect((one.change == .overwritten) == (one.files == Self.open && !one.isWhole), "\(one)")
            #expect((one.change == .reindexed) == (one.isSameLog && one.files != Self.open), "\(one)")
        }
    }

    @Test func `content is moved once, whole, into a database that no other program has changed`() {
        for one in cases where !one.isSameLog {
            let mayMove = one.inUse == Self.open && one.isWhole && one.isDatabaseOurs
            let isMoved = one.moved == Self.open.log?.description
            #expect(one.change == (isMoved ? .moved : mayMove ? .replaced : .lost), "\(one)")
        }
    }
}
