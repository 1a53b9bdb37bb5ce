import RecorderStore

extension RecordAssembler {
    /// The records that have ended and are not passed on yet. Those that are sent as they were read are ranges of the input, others
    /// are copied; what is passed on together is of one kind.
    struct Output {
        private var start: InputPosition
        private var groups: [AssembledRecords] = []
        private var ranges: [Range<Int>] = []
        private var keys: [String?] = []
        /// nil while the ranges are of the input.
        private var copies: [UInt8]?

        /// The most records that are passed on together, and about the most bytes of copies.
        private static let mostRecords = 4_096
        private static let mostBytes = 512 * 1_024

        init(start: InputPosition) {
            self.start = start
        }

        /// Makes room for a record, which follows `position`.
        mutating func prepare(isCopied: Bool, _ input: [UInt8], upTo position: InputPosition) {
            let isFull = ranges.count == Self.mostRecords || (copies?.count ?? 0) > Self.mostBytes
            if isFull || isCopied != (copies != nil) { pass(input, upTo: position) }
            if isCopied, copies == nil { copies = [] }
        }

        mutating func append(_ range: Range<Int>) {
            assert(copies == nil, "a range of the input among copies")
            ranges.append(range)
        }

        mutating func append(_ record: ArraySlice<UInt8>, _ ending: [UInt8]) {
            let first = copies?.count ?? 0
            copies? += record
            copies? += ending
            ranges.append(first..<first + record.count + ending.count)
        }

        mutating func append(key: String?) {
            keys.append(key)
        }

        /// The bytes of the record that was appended last.
        func lastRecord(in input: [UInt8]) -> ArraySlice<UInt8> {
            guard let range = ranges.last else { preconditionFailure("no record was appended") }
            return (copies ?? input)[range]
        }

        /// Groups what was appended. The next record follows `position`.
        mutating func pass(_ input: [UInt8], upTo position: InputPosition) {
            if !ranges.isEmpty {
                let payloads = PayloadList(bytes: copies ?? input, ranges: ranges, keys: keys)
                groups.append(AssembledRecords(payloads: payloads, start: start, end: position))
                (ranges, keys, copies) = ([], [], nil)
            }
            start = position
        }

        mutating func take() -> [AssembledRecords] {
            defer { groups = [] }
            return groups
        }
    }
}
