import SimulatedMachine

/// What the world knows: each record that was saved, what became of it, and what the service does. In memory that all simulated
/// processes share, so that a kill loses none of it.
enum Ledger {
    private nonisolated(unsafe) static let words = machine_notes()

    /// One number, shared by all processes.
    struct Cell {
        let index: Int
        var value: Int {
            get { Int(words[index]) }
            nonmutating set { words[index] = Int64(newValue) }
        }
    }

    static let records = Cell(index: 0)
    /// Whether all faults are lifted and the processes only deliver what is left.
    static let isEnding = Cell(index: 1)
    /// Counts the starts of processes.
    static let lives = Cell(index: 2)
    static let requests = Cell(index: 3)
    static let failedSaves = Cell(index: 4)
    static let result = Cell(index: 5)
    /// What the final look into the store found.
    static let stored = Cell(index: 6)
    static let discarded = Cell(index: 7)
    /// Of the final look: what was delivered, what was cleared, and what each reason has discarded.
    static let delivered = Cell(index: 10)
    static let cleared = Cell(index: 11)
    static func discarded(by reason: Loss) -> Cell { Cell(index: 576 + reason.rawValue) }
    /// How many records programs were told of as discarded.
    static func reported(by reason: Loss) -> Cell { Cell(index: 580 + reason.rawValue) }
    /// Whether a copy of the store was put back: records may be there again, or gone.
    static let isRestored = Cell(index: 12)
    static let copies = Cell(index: 13)
    /// When the store's files, or one of its locks, were removed last; 0 if they were not.
    static let removedAt = Cell(index: 14)
    static let unlockedAt = Cell(index: 15)
    static let rescues = Cell(index: 8)
    static let violations = Cell(index: 9)
    /// What the service does to requests to a stream, see `Service.Mood`.
    static func mood(of stream: Int) -> Cell { Cell(index: 16 + stream) }
    /// The life that a process is in.
    static func life(of process: Int) -> Cell { Cell(index: 32 + process) }
    /// Which process a life is one of; negative once that has ended by itself.
    static func process(of life: Int) -> Cell { Cell(index: 64 + life) }
    static let mostLives = 512
    /// How often a process has used a format that the service does not understand.
    static func wrongFormats(of process: Int) -> Cell { Cell(index: 640 + process) }
    /// What a process cleared last: the records before this one, by then.
    static func clearedEnd(by process: Int) -> Cell { Cell(index: 608 + process) }
    static func clearedAt(by process: Int) -> Cell { Cell(index: 624 + process) }

    /// How a stream places entries, see `Shards`, and whether it ever did so by itself.
    static func shards(of stream: Int) -> Cell { Cell(index: 664 + stream) }
    static func wasAutomatic(_ stream: Int) -> Cell { Cell(index: 672 + stream) }
    /// Since when a process knows that a stream does not place entries by their keys; 0 if it does not.
    static func sharesNothing(_ process: Int, to stream: Int) -> Cell {
        Cell(index: 688 + process * mostStreams + stream)
    }
    /// When the faults were over, how many requests and calls of the disk there had been, and how many records were left.
    static let healed = (
        time: Cell(index: 656), requests: Cell(index: 657), calls: Cell(index: 658), left: Cell(index: 659)
    )

    /// Whether a life was ended by a kill.
    static func wasKilled(_ number: Int) -> Bool {
        let process = process(of: number).value
        return process > 0 && (life(of: process).value != number || !machine_is_running(Int32(process)))
    }
    static let mostStreams = 8

    /// Whether nothing can be delivered to a stream, even when all passing faults are over.
    static func isGone(_ stream: Int) -> Bool { mood(of: stream).value != Service.Mood.answers.rawValue }

    /// Why a record left without being delivered.
    enum Loss: Int, CaseIterable {
        case evicted, expired, rejected, exhausted
    }

    /// A record, by its number.
    struct Entry {
        enum State: Int {
            case called, saved, failed
            /// A limit did not allow it.
            case refused
        }

        let number: Int
        fileprivate static let fields = 17
        /// What the store counts for a record besides its data: its key, and what it takes besides.
        static let overhead = 36 + 64
        private func cell(_ field: Int) -> Cell { Cell(index: 1_024 + number * Self.fields + field) }
        var state: State { State(rawValue: cell(0).value) ?? .failed }
        var stream: Int { cell(1).value }
        var bytes: Int { cell(2).value }
        /// How often it arrived at the service.
        var arrivals: Cell { cell(3) }
        /// The life of the process that was told of the last arrival, and still had to settle it; 0 if none was.
        var toldTo: Cell { cell(4) }
        /// When that request began.
        var toldFrom: Cell { cell(10) }
        /// The hash of its key, once it has arrived.
        var key: Cell { cell(5) }

        /// The life of the process that saves it, and when it did.
        var life: Int { cell(6).value }
        var calledAt: Int { cell(7).value }
        /// How many answers said that it failed.
        var failures: Cell { cell(8) }
        /// Whether it is stored only if all before it of this process were.
        var isInSequence: Bool { cell(9).value != 0 }

        /// Whether a service that refuses records refuses this one.
        var isInvalid: Bool { number % 13 == 5 }
        private var refusals: Cell { cell(14) }
        /// In how many minutes a stream that refuses everything refused it alone, and in which last.
        private var refusingMinutes: (count: Cell, last: Cell) { (cell(15), cell(16)) }
        /// It was refused in a request of its own.
        func wasRefused(inMinute minute: Int) {
            refusals.value += 1
            guard refusingMinutes.last.value != minute + 1 else { return }
            refusingMinutes.count.value += 1
            refusingMinutes.last.value = minute + 1
        }
        var wasRefused: Bool { refusals.value > 0 }
        /// The fourth refusal of a record that is alone in its stream is the last; and no answer tells two minutes of refusals, and
        /// another record accepted between them, from an invalid record.
        var mayBeRejected: Bool { isInvalid || refusals.value >= 4 || refusingMinutes.count.value >= 2 }

        var store: Store { Store(rawValue: cell(11).value) ?? .kinesis }
        /// Whether it was saved with a key, which others may have, too.
        var hasGivenKey: Cell { cell(12) }
        /// When the save was answered.
        var answeredAt: Int { cell(13).value }

        /// Notes a call that saves a record.
        static func add(
            stream: Int,
            bytes: Int,
            life: Int,
            isInSequence: Bool = false,
            to store: Store = .kinesis
        ) -> Entry {
            let entry = Entry(number: Ledger.records.value)
            Ledger.records.value += 1
            precondition(entry.number < mostRecords, "The world has too many records.")
            entry.cell(1).value = stream
            entry.cell(2).value = bytes
            entry.cell(6).value = life
            entry.cell(7).value = Int(machine_now())
            entry.cell(9).value = isInSequence ? 1 : 0
            entry.cell(11).value = store.rawValue
            return entry
        }

        func end(_ state: State) {
            cell(0).value = state.rawValue
            cell(13).value = Int(machine_now())
        }
    }

    static let mostRecords = (Int(MACHINE_NOTES) - 1_024) / Entry.fields

    static var entries: some Sequence<Entry> { (0..<records.value).lazy.map(Entry.init(number:)) }

    /// Notes, and tells in the trace, that a law was broken.
    static func violate(_ law: StaticString, _ first: Int, _ second: Int = 0) {
        law.withUTF8Buffer { text in
            let name = String(decoding: text, as: UTF8.self)
            machine_tell("VIOLATION: \(name)", Int64(first), Int64(second))
            if violations.value < 5 { Report.line("  broken law: \(name) (\(first), \(second))") }
        }
        violations.value += 1
    }
}
