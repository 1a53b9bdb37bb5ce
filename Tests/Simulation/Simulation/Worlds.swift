import Glibc
import SimulatedMachine
import Synchronization

/// What one world was like.
struct Outcome {
    var hash: UInt64 = 0
    var disk: UInt64 = 0
    var events = 0
    var time = 0
    var records = 0
    var requests = 0
    var kills = 0
    var holds = false
    var ended = false

    func isSame(as other: Outcome) -> Bool { (hash, disk) == (other.hash, other.disk) }
}

/// How much of a world is told.
enum Trace {
    /// Nothing, not even which law was broken.
    case silent
    case none
    /// What programs and faults did.
    case story
    /// And each call of the system.
    case calls
}

/// Runs worlds on all processors, one on each at a time, in a process of its own of which nothing is left but what it prints and
/// its outcome.
struct Worlds: ~Copyable {
    private let profile: Profile
    private let trace: Trace
    private let processors = Int(machine_processors())
    /// By processor; shared with the worlds.
    private let outcomes: UnsafeMutableBufferPointer<Outcome>

    init(_ profile: Profile, trace: Trace = .none) {
        self.profile = profile
        self.trace = trace
        let size = MemoryLayout<Outcome>.stride * processors
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { fail("There is no memory.") }
        outcomes = UnsafeMutableBufferPointer(
            start: memory.bindMemory(to: Outcome.self, capacity: processors),
            count: processors
        )
    }

    deinit { munmap(outcomes.baseAddress, MemoryLayout<Outcome>.stride * processors) }

    /// Runs these seeds, in this order, until `continues` returns false for one that has ended.
    func run(_ seeds: some Sequence<Int>, continues: (_ seed: Int, Outcome) -> Bool) {
        var left = seeds.makeIterator()
        var free = Array(0..<processors)
        var running: [pid_t: (processor: Int, seed: Int)] = [:]
        var isOver = false
        while true {
            while !isOver, !Interrupt.came, let processor = free.last, let seed = left.next() {
                free.removeLast()
                outcomes[processor] = Outcome()
                let child = fork()
                if child == 0 { live(seed, on: processor) }
                running[child] = (processor, seed)
            }
            var status: Int32 = 0
            guard !running.isEmpty, let ended = running.removeValue(forKey: waitpid(-1, &status, 0)) else { return }
            free.append(ended.processor)
            if Interrupt.came { continue }
            let outcome = outcomes[ended.processor]
            if !outcome.ended, trace != .silent {
                Report.line("  seed \(ended.seed): the world ended early, with the system's status \(status)")
            }
            if !continues(ended.seed, outcome) { isOver = true }
        }
    }

    /// The lowest of these seeds that breaks a law.
    func firstFailure(of seeds: Range<Int>) -> Int? {
        var failed: [Int] = []
        run(seeds) { seed, outcome in
            if !outcome.holds { failed.append(seed) }
            return outcome.holds
        }
        return failed.min()
    }

    private func live(_ seed: Int, on processor: Int) -> Never {
        signal(SIGINT, SIG_DFL)
        machine_use_processor(Int32(processor))
        if trace == .silent { dup2(open("/dev/null", O_WRONLY), Report.descriptor) }
        let isTold = trace == .story || trace == .calls
        machine_start(UInt64(seed), isTold ? STDOUT_FILENO : -1, trace == .calls)
        let holds = World(profile).run()
        outcomes[processor] = Outcome(
            hash: machine_hash(),
            disk: machine_disk_hash(),
            events: Int(machine_events()),
            time: Int(machine_now()),
            records: Ledger.records.value,
            requests: Ledger.requests.value,
            kills: Int(machine_kills()),
            holds: holds,
            ended: true
        )
        _exit(0)
    }
}

/// Ctrl-C: the worlds that run are given up, and what is known is told.
enum Interrupt {
    private static let flag = Atomic(false)

    static var came: Bool { flag.load(ordering: .relaxed) }

    static func watch() {
        flag.store(false, ordering: .relaxed)
        signal(SIGINT) { _ in Interrupt.flag.store(true, ordering: .relaxed) }
    }
}
