/// Rules that make records of bytes: what ends a line, which lines belong together, which are left out, and which partition key
/// each record has.
package struct RecordRules: Sendable {
    /// Where a record's partition key comes from.
    package enum Key: Sendable {
        /// A member of the JSON object that the record is when it is sent.
        case field(String)
        /// The pattern's first group; the whole match if it has none.
        case pattern(LinePattern)
        /// The MD5 of the record as it is sent: equal records have the same key.
        case digest
    }

    /// What becomes of a line that is longer than a record may be.
    package enum LongLine: Sendable, Equatable {
        /// It is left out, reported and counted.
        case refused
        /// Its beginning is kept, with these bytes at the end; reported and counted.
        case cut(ending: [UInt8])
    }

    /// What ends a line; nil makes the whole input one record, which is no rule for files that grow.
    package var delimiter: UInt8? = UInt8(ascii: "\n")
    /// Whether records end with their delimiter.
    package var keepsDelimiter = false
    /// The size of the largest record in bytes, with its delimiter if that is kept.
    package var maximumRecordBytes = Int.max
    package var longLine = LongLine.refused
    /// What the first line of a record matches. Lines that do not match belong to the record before.
    package var multilineStart: LinePattern?
    /// Removes the line breaks within a record, and spaces around them, as the Kinesis Agent's SINGLELINE does.
    package var joinsLines = false
    /// The number of lines at the start of a file that are no records.
    package var skippedHeaderLines = 0

    // These are for records without their delimiter.

    /// nil: the key of the flow, or one of its own.
    package var key: Key?
    /// Leaves out records without a byte, or with a carriage return only.
    package var skipsEmpty = false
    /// Leaves out records that match, and those that do not.
    package var dropped: LinePattern?
    package var kept: LinePattern?

    /// What is added to each record; nil adds nothing.
    package var fields: RecordFields?

    package init() {}

    /// The longest wait for the next line of a record that has several; then the record ends.
    package static let multilineWait = Duration.seconds(5)
    /// The most lines of a record. More of them begin another record, so that none is lost.
    static let mostLines = 1_000

    /// The longest key that a service takes, in code points.
    static let longestKey = 256
    /// The same in bytes.
    package static let longestKeyBytes = longestKey * 4
}
