import SimulatedMachine

/// Which faults a world has. What a seed makes of them is drawn when the world begins.
struct Profile {
    let name: String
    var kills = false
    var powerCuts = false
    var stalls = false
    /// A process that holds the lease is stopped for minutes.
    var stopsLeaseHolders = false
    var diskErrors = false
    /// Many syncs fail, and what they leave is lost by a power cut.
    var failsSyncs = false
    var fullDisk = false
    var network = false
    var deadStream = false
    var clock = false
    var threads = false
    /// Programs remove records, and small limits evict some, while others are on their way.
    var discards = false
    /// A stream that is gone fills a store that is limited.
    var shares = false
    /// Records have an age limit.
    var ages = false
    /// Records have given keys, whose order is kept.
    var order = false
    /// Some programs discard what has failed too often.
    var attempts = false
    /// The store's files, or its locks, are removed while programs use them.
    var removals = false
    /// A copy of the store is made, and put back later.
    var copies = false
    /// The credentials provider of one process never returns.
    var hangingProvider = false
    /// The service answers in every way that it can, or not at all; keys expire, and providers fail.
    var badService = false
    /// Streams are resharded, and some place entries by themselves; records share entries.
    var reshards = false
    var slowSyncs = false
    /// The disk is mounted again without the right to write.
    var readOnly = false
    /// Copies of the store are put back while programs use it.
    var snapshots = false
    /// Some programs name the directory by a symbolic link, and some file systems have no birth times.
    var links = false
    /// One stream never exists.
    var neverExists = false
    /// The seconds within which a record arrives whose stream exists, although something else fails; nil for no such bound.
    var delay: Int?
    var programs = [Program.recorder, .clientOfSameStore, .submitter]
    var processes = 1...3
    var records = 10...60
    var rounds = 3
    /// Controls: what the world must notice.
    var liesAboutSyncs = false
    var locksExcludeNobody = false
    var serviceLies = false

    static let all: [Profile] = [
        Profile(name: "none"),
        Profile(
            name: "usual",
            kills: true,
            powerCuts: true,
            stalls: true,
            network: true,
            deadStream: true,
            clock: true,
            threads: true
        ),
        Profile(
            name: "hostile",
            kills: true,
            powerCuts: true,
            stalls: true,
            diskErrors: true,
            fullDisk: true,
            network: true,
            deadStream: true,
            clock: true,
            threads: true,
            badService: true,
            slowSyncs: true,
            readOnly: true,
            links: true,
            programs: Program.allCases,
            processes: 2...8,
            records: 10...150,
            rounds: 8
        ),
        Profile(
            name: "programs",
            kills: true,
            powerCuts: true,
            network: true,
            deadStream: true,
            links: true,
            programs: Program.allCases,
            processes: 2...8
        ),
        Profile(name: "service", network: true, clock: true, badService: true, programs: Program.allCases),
        Profile(name: "shards", kills: true, network: true, reshards: true, programs: Program.allCases),
        Profile(
            name: "ordered-programs",
            kills: true,
            powerCuts: true,
            network: true,
            order: true,
            reshards: true,
            programs: Program.allCases
        ),
        Profile(name: "read-only", slowSyncs: true, readOnly: true, programs: Program.allCases),
        Profile(name: "snapshots", kills: true, snapshots: true, links: true),
        Profile(
            name: "delay",
            kills: true,
            hangingProvider: true,
            links: true,
            neverExists: true,
            delay: 120,
            processes: 2...5
        ),
        Profile(name: "kills", kills: true),
        Profile(name: "power", powerCuts: true),
        Profile(name: "network", network: true, deadStream: true),
        Profile(name: "disk", diskErrors: true),
        Profile(name: "dying-disk", kills: true, powerCuts: true, diskErrors: true, failsSyncs: true),
        Profile(name: "full", kills: true, powerCuts: true, fullDisk: true, records: 50...400),
        Profile(name: "discards", discards: true),
        Profile(name: "full-discards", fullDisk: true, network: true, discards: true, records: 50...400),
        Profile(name: "shares", shares: true),
        Profile(name: "ages", network: true, deadStream: true, clock: true, ages: true),
        Profile(name: "order", kills: true, network: true, order: true),
        Profile(name: "attempts", network: true, deadStream: true, attempts: true),
        Profile(name: "stalls", stalls: true, processes: 2...4),
        Profile(name: "stops", stalls: true, stopsLeaseHolders: true, network: true, processes: 2...5),
        Profile(name: "removals", removals: true, processes: 2...4),
        Profile(name: "copies", copies: true),
        Profile(name: "provider", hangingProvider: true, processes: 2...4),
        Profile(name: "lying-disk", powerCuts: true, liesAboutSyncs: true),
        Profile(name: "lying-lock", processes: 3...5, locksExcludeNobody: true),
        Profile(name: "lying-service", serviceLies: true),
    ]

    /// The faults by name, as far as a world can be without them.
    static let faults: [(name: String, path: any WritableKeyPath<Profile, Bool> & Sendable)] = [
        ("kills", \.kills), ("power", \.powerCuts), ("stalls", \.stalls), ("disk", \.diskErrors), ("full", \.fullDisk),
        ("network", \.network), ("dead-stream", \.deadStream), ("clock", \.clock), ("threads", \.threads),
        ("discards", \.discards), ("copies", \.copies), ("provider", \.hangingProvider), ("stops", \.stopsLeaseHolders),
        ("shares", \.shares),
        ("ages", \.ages), ("order", \.order), ("attempts", \.attempts),
        ("removals", \.removals), ("service", \.badService), ("shards", \.reshards), ("slow-syncs", \.slowSyncs),
        ("read-only", \.readOnly), ("snapshots", \.snapshots), ("links", \.links),
    ]

    /// Whether there are programs besides those that are one pipeline of Kinesis.
    var hasOtherPrograms: Bool { programs.count > 3 }

    /// Worlds with one fault less, or half of something.
    var smaller: [Profile] {
        func changed(_ change: (inout Profile) -> Void) -> Profile {
            var profile = self
            change(&profile)
            return profile
        }
        var all = Self.faults.filter { self[keyPath: $0.path] }.map { fault in
            changed { $0[keyPath: fault.path] = false }
        }
        for program in programs where programs.count > 1 {
            all.append(changed { $0.programs.removeAll { $0 == program } })
        }
        let (processes, records) = (processes.upperBound, records.upperBound)
        if processes > 1 { all.append(changed { $0.processes = 1...(processes / 2) }) }
        if processes > 2 { all.append(changed { $0.processes = 1...(processes - 1) }) }
        if records > 1 { all.append(changed { $0.records = 1...(records / 2) }) }
        if rounds > 1 { all.append(changed { $0.rounds /= 2 }) }
        return all
    }

    /// The options with which the program runs this world.
    func options(comparedTo base: Profile) -> String {
        let without = Self.faults.filter { base[keyPath: $0.path] && !self[keyPath: $0.path] }.map {
            "--without \($0.name)"
        }
        var sizes: [String] = []
        if processes != base.processes { sizes.append("--processes \(processes.upperBound)") }
        if records != base.records { sizes.append("--records \(records.upperBound)") }
        if rounds != base.rounds { sizes.append("--rounds \(rounds)") }
        for program in base.programs where !programs.contains(program) { sizes.append("--no \(program)") }
        return (without + sizes).joined(separator: " ")
    }

    static func named(_ name: String) -> Profile? { all.first { $0.name == name } }
}

/// Chance of the world's seed.
struct Chance: RandomNumberGenerator {
    func next() -> UInt64 { machine_random(.max) }

    static func below(_ bound: Int) -> Int { Int(machine_random(UInt64(bound))) }
    static func oneIn(_ count: Int) -> Bool { below(count) == 0 }
    static func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }
}
