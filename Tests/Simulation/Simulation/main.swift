import Glibc
import SimulatedMachine

/// Prints, past all buffers that a fork would copy.
enum Report {
    static func line(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = write(STDOUT_FILENO, line, line.count)
    }
}

/// What was asked for: `SEEDS=`, `SEED=`, `PROFILE=`, `ARGS=` of `make simulate`.
struct Options {
    var first = 1
    var count = 20
    var profile = Profile.all[1]
    var isTold = false
    var repeats = false
    var shrinks = false

    init(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            func number() -> Int { words.popFirst().flatMap { Int($0) } ?? 0 }
            switch word {
            case "--seeds": count = number()
            case "--first": first = number()
            case "--seed": (first, count, isTold) = (number(), 1, true)
            case "--profile":
                guard let named = words.popFirst().flatMap(Profile.named) else {
                    fail("profiles: \(Profile.all.map(\.name).joined(separator: ", "))")
                }
                profile = named
            case "--without":
                let name = words.popFirst()
                for fault in Profile.faults where fault.name == name { profile[keyPath: fault.path] = false }
            case "--processes": profile.processes = 1...max(number(), 1)
            case "--records": profile.records = 1...max(number(), 1)
            case "--rounds": profile.rounds = number()
            case "--twice": repeats = true
            case "--shrink": shrinks = true
            default: fail("unknown: \(word)")
            }
        }
    }
}

func fail(_ reason: String) -> Never {
    Report.line(reason)
    exit(64)
}

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

/// Runs a world in a process of its own; nothing of it is left but what it prints, and this.
func run(_ seed: Int, _ profile: Profile, trace: Trace = .none) -> Outcome {
    var ends: [Int32] = [0, 0]
    _ = pipe(&ends)
    let child = fork()
    if child == 0 {
        alarm(60)
        if trace == .silent { dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO) }
        let isTold = trace == .story || trace == .calls
        machine_start(UInt64(seed), isTold ? STDOUT_FILENO : -1, trace == .calls)
        let holds = World(profile).run()
        var outcome = Outcome(
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
        _ = write(ends[1], &outcome, MemoryLayout<Outcome>.size)
        _exit(0)
    }
    close(ends[1])
    var outcome = Outcome()
    _ = read(ends[0], &outcome, MemoryLayout<Outcome>.size)
    close(ends[0])
    var status: Int32 = 0
    waitpid(child, &status, 0)
    if !outcome.ended, trace != .silent {
        Report.line("  seed \(seed): the world ended early, with the system's status \(status)")
    }
    return outcome
}

/// The same seed must give the same world: no hashing, address or allocation may differ from one run to the next.
func startAgainFixed() {
    guard getenv("SIMULATION_IS_FIXED") == nil else { return }
    for (name, value) in [
        ("SIMULATION_IS_FIXED", "1"), ("SWIFT_DETERMINISTIC_HASHING", "1"), ("MALLOC_ARENA_MAX", "1"),
        ("LD_BIND_NOW", "1"),
        ("SWIFT_BACKTRACE", "enable=no"),
    ] {
        setenv(name, value, 1)
    }
    machine_fix_addresses()
    execv("/proc/self/exe", CommandLine.unsafeArgv)
    fail("The program cannot start itself.")
}

startAgainFixed()
let options = Options(Array(CommandLine.arguments.dropFirst()))
let profile = options.profile

/// Finds a smaller world in which a law is broken, too, of this seed or one of the next, and tells its story.
func shrink(_ seed: Int) {
    var found = (seed: seed, profile: profile)
    func smaller() -> (seed: Int, profile: Profile)? {
        for profile in found.profile.smaller {
            for seed in found.seed..<found.seed + 20 where !run(seed, profile, trace: .silent).holds {
                return (seed, profile)
            }
        }
        return nil
    }
    while let next = smaller() { found = next }
    let options = found.profile.options(comparedTo: profile)
    Report.line("a small one: make simulate SEED=\(found.seed) PROFILE=\(profile.name) ARGS=\"\(options)\"")
    _ = run(found.seed, found.profile, trace: .story)
}

let start = ContinuousClock.now
var failed: [Int] = []
var different: [Int] = []
var sum = Outcome()
for seed in options.first..<(options.first + options.count) {
    let outcome = run(seed, profile, trace: options.isTold && !options.shrinks ? .calls : .none)
    if !outcome.holds {
        failed.append(seed)
        Report.line("seed \(seed) of \(profile.name) fails: make simulate SEED=\(seed) PROFILE=\(profile.name)")
        if options.shrinks { shrink(seed) }
    }
    if options.repeats {
        let again = run(seed, profile, trace: .silent)
        if (again.hash, again.disk) != (outcome.hash, outcome.disk) { different.append(seed) }
    }
    sum.hash = (sum.hash ^ outcome.hash) &* 0x100_0000_01B3
    sum.events += outcome.events
    sum.time += outcome.time
    sum.records += outcome.records
    sum.requests += outcome.requests
    sum.kills += outcome.kills
}
let seconds = (ContinuousClock.now - start) / .seconds(1)
Report.line(
    "\(options.count) seeds of \(profile.name): \(failed.count) fail, \(different.count) differ when repeated, hash "
        + "\(String(sum.hash, radix: 16)); \(sum.records) records, \(sum.requests) requests, \(sum.kills) kills, \(sum.events) events; "
        + "\(Int(Double(options.count) / seconds)) seeds a second, simulated over real time \(Int(Double(sum.time) / 1e9 / seconds))"
)
exit(failed.isEmpty && different.isEmpty ? 0 : 1)
