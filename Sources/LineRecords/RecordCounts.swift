/// What became of lines that are not stored as they were read.
package struct RecordCounts: Sendable {
    /// A line that is too long.
    package struct LongLine: Sendable, Hashable {
        /// The number of its record, counted from 1, refused ones included.
        package let number: Int
        package let bytes: Int
    }

    /// A search for a pattern in a record that took too many steps.
    package struct GivenUpSearch: Sendable, Hashable {
        package let number: Int
        package let pattern: String
    }

    /// A record that is stored without a field.
    package struct WithoutFields: Sendable, Hashable {
        package let number: Int
        package let fault: RecordFields.Fault
    }

    /// The first of the lines that were too long, and how many there were.
    package private(set) var refused: [LongLine] = []
    package private(set) var refusedCount = 0
    /// The first of the lines that were cut, and how many there were.
    package private(set) var cut: [LongLine] = []
    package private(set) var cutCount = 0
    /// Searches for a pattern that were given up at a limit, which counts as no match, and the first of them.
    package private(set) var givenUp = 0
    package private(set) var firstGivenUp: GivenUpSearch?
    /// Records that are stored without a field, and the first of them.
    package private(set) var withoutFields = 0
    package private(set) var firstWithoutFields: WithoutFields?
    /// Records that do not fit the rule of the partition key, and the number of the first of them.
    package private(set) var withoutKey = 0
    package private(set) var firstWithoutKey: Int?

    private static let mostKept = 3

    package init() {}

    mutating func refuse(_ line: LongLine) {
        refusedCount += 1
        if refused.count < Self.mostKept { refused.append(line) }
    }

    mutating func cut(_ line: LongLine) {
        cutCount += 1
        if cut.count < Self.mostKept { cut.append(line) }
    }

    mutating func addGivenUp(_ search: GivenUpSearch) {
        givenUp += 1
        firstGivenUp = firstGivenUp ?? search
    }

    mutating func addWithoutFields(_ record: WithoutFields) {
        withoutFields += 1
        firstWithoutFields = firstWithoutFields ?? record
    }

    mutating func addWithoutKey(_ number: Int) {
        withoutKey += 1
        firstWithoutKey = firstWithoutKey ?? number
    }
}
