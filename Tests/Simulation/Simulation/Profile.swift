import SimulatedMachine

/// Which faults a world has. What a seed makes of them is drawn when the world begins.
struct Profile {
    let name: String
    var kills = false
    var powerCuts = false
    var stalls = false
    var diskErrors = false
    var fullDisk = false
    var network = false
    var deadStream = false
    var clock = false
    var threads = false
    /// Programs remove records, and small limits evict some, while others are on their way.
    var discards = false
    /// A copy of the store is made, and put back later.
    var copies = false
    /// The credentials provider of one process never returns.
    var hangingProvider = false
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
            processes: 2...8,
            records: 10...150,
            rounds: 8
        ),
        Profile(name: "kills", kills: true),
        Profile(name: "power", powerCuts: true),
        Profile(name: "network", network: true, deadStream: true),
        Profile(name: "disk", diskErrors: true),
        Profile(name: "full", fullDisk: true, records: 50...400),
        Profile(name: "discards", discards: true),
        Profile(name: "copies", copies: true),
        Profile(name: "provider", hangingProvider: true, processes: 2...4),
        Profile(name: "lying-disk", powerCuts: true, liesAboutSyncs: true),
        Profile(name: "lying-lock", processes: 3...5, locksExcludeNobody: true),
        Profile(name: "lying-service", serviceLies: true),
    ]

    static func named(_ name: String) -> Profile? { all.first { $0.name == name } }
}

/// Chance of the world's seed.
struct Chance: RandomNumberGenerator {
    func next() -> UInt64 { machine_random(.max) }

    static func below(_ bound: Int) -> Int { Int(machine_random(UInt64(bound))) }
    static func oneIn(_ count: Int) -> Bool { below(count) == 0 }
    static func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }
}
