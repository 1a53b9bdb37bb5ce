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
    /// Of the final look: what was delivered, and what was cleared.
    static let delivered = Cell(index: 10)
    static let cleared = Cell(index: 11)
    /// Whether a copy of the store was put back: records may be there again, or gone.
    static let isRestored = Cell(index: 12)
    static let copies = Cell(index: 13)
    static let rescues = Cell(index: 8)
    static let violations = Cell(index: 9)
    /// What the service does to requests to a stream, see `Service.Mood`.
    static func mood(of stream: Int) -> Cell { Cell(index: 16 + stream) }
    /// The life that a process is in.
    static func life(of process: Int) -> Cell { Cell(index: 32 + process) }
    /// Which process a life is one of; negative once that has ended by itself.
    static func process(of life: Int) -> Cell { Cell(index: 64 + life) }
    static let mostLives = 512

    /// Whether a life was ended by a kill.
    static func wasKilled(_ number: Int) -> Bool {
        let process = process(of: number).value
        return process > 0 && (life(of: process).value != number || !machine_is_running(Int32(process)))
    }
    static let mostStreams = 8

    /// A record, by its number.
    struct Entry {
        enum State: Int {
            case called, saved, failed
        }

        let number: Int
        private func cell(_ field: Int) -> Cell { Cell(index: 1_024 + number * 6 + field) }
        var state: State { State(rawValue: cell(0).value) ?? .failed }
        var stream: Int { cell(1).value }
        var bytes: Int { cell(2).value }
        /// How often it arrived at the service.
        var arrivals: Cell { cell(3) }
        /// The life of the process that was told of the last arrival, and still had to settle it; 0 if none was.
        var toldTo: Cell { cell(4) }
        /// The hash of its key, once it has arrived.
        var key: Cell { cell(5) }

        /// Notes a call that saves a record.
        static func add(stream: Int, bytes: Int) -> Entry {
            let entry = Entry(number: Ledger.records.value)
            Ledger.records.value += 1
            precondition(entry.number < mostRecords, "The world has too many records.")
            entry.cell(1).value = stream
            entry.cell(2).value = bytes
            return entry
        }

        func end(_ state: State) { cell(0).value = state.rawValue }
    }

    static let mostRecords = (Int(MACHINE_NOTES) - 1_024) / 6

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
