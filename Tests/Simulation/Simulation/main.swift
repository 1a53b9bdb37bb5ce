import Glibc
import SimulatedMachine

/// Prints, past all buffers that a fork would copy.
enum Report {
    static func line(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = write(STDOUT_FILENO, line, line.count)
    }
}

/// What was asked for: `SEEDS=`, `SEED=`, `PROFILE=` of `make simulate`.
struct Options {
    var first = 1
    var count = 20
    var profile = "usual"
    var isTold = false
    var repeats = false

    init(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            func number() -> Int { words.popFirst().flatMap { Int($0) } ?? 0 }
            switch word {
            case "--seeds": count = number()
            case "--first": first = number()
            case "--seed": (first, count, isTold) = (number(), 1, true)
            case "--profile": profile = words.popFirst() ?? ""
            case "--twice": repeats = true
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

/// Runs a world in a process of its own; nothing of it is left but what it prints, and this.
func run(_ seed: Int, _ profile: Profile, trace: Int32) -> Outcome {
    var ends: [Int32] = [0, 0]
    _ = pipe(&ends)
    let child = fork()
    if child == 0 {
        alarm(60)
        machine_start(UInt64(seed), trace)
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
    if !outcome.ended { Report.line("  seed \(seed): the world ended early, with the system's status \(status)") }
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
guard let profile = Profile.named(options.profile) else {
    fail("profiles: \(Profile.all.map(\.name).joined(separator: ", "))")
}
let start = ContinuousClock.now
var failed: [Int] = []
var different: [Int] = []
var sum = Outcome()
for seed in options.first..<(options.first + options.count) {
    let outcome = run(seed, profile, trace: options.isTold ? STDOUT_FILENO : -1)
    if !outcome.holds {
        failed.append(seed)
        Report.line("seed \(seed) of \(profile.name) fails: make simulate SEED=\(seed) PROFILE=\(profile.name)")
    }
    if options.repeats {
        let again = run(seed, profile, trace: -1)
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
