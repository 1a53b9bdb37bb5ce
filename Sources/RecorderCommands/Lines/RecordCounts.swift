/// What became of lines that are not stored as they were read.
package struct RecordCounts: Sendable {
    /// The first of the lines that were too long, and how many there were.
    private(set) var refused: [RecordSplitter.Refusal] = []
    package private(set) var refusedCount = 0
    /// The first of the lines that were cut, and how many there were.
    private(set) var cut: [RecordSplitter.Refusal] = []
    package private(set) var cutCount = 0
    /// Records that do not fit the rule of the partition key, and the number of the first of them.
    package private(set) var withoutKey = 0
    package private(set) var firstWithoutKey: Int?

    private static let mostKept = 3

    mutating func refuse(_ refusal: RecordSplitter.Refusal) {
        refusedCount += 1
        if refused.count < Self.mostKept { refused.append(refusal) }
    }

    mutating func cut(_ line: RecordSplitter.Refusal) {
        cutCount += 1
        if cut.count < Self.mostKept { cut.append(line) }
    }

    mutating func addWithoutKey(_ number: Int) {
        withoutKey += 1
        firstWithoutKey = firstWithoutKey ?? number
    }
}
