import Glibc
import RecordFormats
import RecorderAWS
import RecorderHTTP
import SimulatedMachine

/// Prints, past all buffers that a fork would copy.
enum Report {
    /// Standard output, by a number that no simulated program prints to.
    static let descriptor = dup(STDOUT_FILENO)

    static func line(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = write(descriptor, line, line.count)
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
            func number() -> Int {
                let text = words.popFirst() ?? ""
                return Int(text) ?? { fail("not a number: \(text)") }()
            }
            switch word {
            case "--seeds": count = number()
            case "--first": first = number()
            case "--seed": (first, count, isTold) = (number(), 1, true)
            case "--profile":
                guard let named = words.popFirst().flatMap(Profile.named) else {
                    fail("profiles: \(Profile.all.map(\.name).joined(separator: ", "))")
                }
                profile = named
            case "--with", "--without":
                let name = words.popFirst()
                for fault in Profile.faults where fault.name == name { profile[keyPath: fault.path] = word == "--with" }
            case "--no":
                let name = words.popFirst()
                profile.programs.removeAll { "\($0)" == name }
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

/// What all worlds were like.
struct Tally {
    private let profile: String
    private let start = ContinuousClock.now
    private var sum = Outcome()
    private(set) var count = 0
    private(set) var failed: [Int] = []
    private(set) var different: [Int] = []

    init(_ profile: String) { self.profile = profile }

    mutating func add(_ seed: Int, _ outcome: Outcome) {
        count += 1
        if !outcome.holds { failed.append(seed) }
        // In whatever order they end.
        sum.hash ^= (outcome.hash ^ outcome.disk &* 31) &* UInt64(2 * seed + 1)
        sum.events += outcome.events
        sum.time += outcome.time
        sum.records += outcome.records
        sum.requests += outcome.requests
        sum.kills += outcome.kills
    }

    mutating func differs(_ seed: Int) { different.append(seed) }

    func tell() {
        let processors = Int(machine_processors())
        let seconds = (ContinuousClock.now - start) / .seconds(1) * Double(processors)
        Report.line(
            "\(count) seeds of \(profile): \(failed.count) fail, \(different.count) differ when repeated, hash "
                + "\(String(sum.hash, radix: 16)); \(sum.records) records, \(sum.requests) requests, \(sum.kills) kills, "
                + "\(sum.events) events; a second on each of \(processors) processors: \(Int(Double(count) / seconds)) seeds, "
                + "\(Int(Double(sum.time) / 1e9 / seconds)) simulated seconds"
        )
        if !failed.isEmpty { Report.line("fail: \(Self.list(failed))") }
        if !different.isEmpty { Report.line("differ when repeated: \(Self.list(different))") }
    }

    private static func list(_ seeds: [Int]) -> String { seeds.sorted().map { "\($0)" }.joined(separator: " ") }
}

/// Runs all seeds that were asked for.
func run(_ options: Options) -> Tally {
    let profile = options.profile
    var tally = Tally(profile.name)
    var told = ContinuousClock.now
    var unrepeated: [Int: Outcome] = [:]
    let seeds = options.first..<(options.first + options.count)
    let repeats = options.repeats ? 2 : 1
    let worlds = Worlds(profile, trace: options.isTold && !options.shrinks ? .calls : .none)
    worlds.run(seeds.lazy.flatMap { repeatElement($0, count: repeats) }) { seed, outcome in
        if let first = unrepeated.removeValue(forKey: seed) {
            if !outcome.isSame(as: first) { tally.differs(seed) }
            return true
        }
        if options.repeats { unrepeated[seed] = outcome }
        if !outcome.holds {
            Report.line("seed \(seed) of \(profile.name) fails: make simulate SEED=\(seed) PROFILE=\(profile.name)")
        }
        tally.add(seed, outcome)
        if ContinuousClock.now - told > .seconds(10) {
            told = .now
            tally.tell()
        }
        return true
    }
    return tally
}

/// Finds a smaller world in which a law is broken, too, of this seed or one of the next, and tells its story.
func shrink(_ seed: Int, of profile: Profile) {
    var found = (seed: seed, profile: profile)
    func smaller() -> (seed: Int, profile: Profile)? {
        for profile in found.profile.smaller {
            if let seed = Worlds(profile, trace: .silent).firstFailure(of: found.seed..<found.seed + 20) {
                return (seed, profile)
            }
        }
        return nil
    }
    while !Interrupt.came, let next = smaller() { found = next }
    let options = found.profile.options(comparedTo: profile)
    Report.line("a small one: make simulate SEED=\(found.seed) PROFILE=\(profile.name) ARGS=\"\(options)\"")
    Worlds(found.profile, trace: .story).run(CollectionOfOne(found.seed)) { _, _ in true }
}

/// Past the first time: settings that the C library reads before any program runs. Forked processes would bind each name anew, and
/// pay for an area of memory for each thread; one that crashes would be examined for seconds.
func startAgainPrepared() {
    guard getenv("SIMULATION_IS_PREPARED") == nil else { return }
    for (name, value) in [
        ("SIMULATION_IS_PREPARED", "1"), ("MALLOC_ARENA_MAX", "1"), ("LD_BIND_NOW", "1"),
        ("SWIFT_BACKTRACE", "enable=no"),
    ] {
        setenv(name, value, 1)
    }
    execv("/proc/self/exe", CommandLine.unsafeArgv)
    fail("The program cannot start itself.")
}

startAgainPrepared()
// OpenSSL is set up once, and not in each process.
_ = Digest.sha256([])
// Before the worlds, which would each wait for the libraries' start.
_ = (Report.descriptor, CurlTransport.shared)
machine_make_types()
Interrupt.watch()
let options = Options(Array(CommandLine.arguments.dropFirst()))
let tally = run(options)
if options.shrinks, let seed = tally.failed.min() { shrink(seed, of: options.profile) }
tally.tell()
exit(tally.failed.isEmpty && tally.different.isEmpty ? Interrupt.came ? 128 + SIGINT : 0 : 1)
