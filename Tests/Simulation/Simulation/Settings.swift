import RecorderAWS
import RecorderStore

/// What the programs of a world have in common: how much they store, for how long, and how they send it.
struct Settings {
    /// What the store may hold, in bytes; nil leaves each program its own limit.
    var bytes: Int?
    var overflow = DiskLimits.Overflow.evicts
    /// How old a record may get; zero is no limit.
    var age = Duration.zero
    /// The most bytes of payloads and keys in a request.
    var requestBytes: Int
    var format = RequestFormat.json
    /// What the service makes of requests in CBOR.
    enum CBORSupport: CaseIterable { case refuses, understands, answersInJSON }
    var support = CBORSupport.refuses
    /// Whether records have one of a few keys, and those of a key arrive in the order of their saves.
    var keepsOrder: Bool
    /// The failures after which a record is discarded; nil keeps it.
    var mostFailures: Int?
    /// Of saves, how many in a hundred go to a stream by chance; the others go to the first one.
    var spread = 100

    init(_ profile: Profile) {
        requestBytes = Chance.oneIn(2) ? 512 * 1_024 : 500 + Chance.below(20_000)
        keepsOrder = profile.order
        if Chance.oneIn(3) {
            format = .cbor
            support = CBORSupport.allCases[Chance.below(3)]
        }
        // Some requests each, so that records are removed while those before them are on their way.
        if profile.discards || profile.removals || profile.failsSyncs { requestBytes = 500 + Chance.below(4_000) }
        if profile.discards { bytes = 2_000 + Chance.below(20_000) }
        if profile.attempts { mostFailures = 2 + Chance.below(3) }
        if profile.ages { age = Chance.oneIn(2) ? .seconds(5) : .seconds(86_400) }
        // What a stream that is gone leaves no room for is refused.
        if profile.delay != nil, Chance.oneIn(2) { (bytes, overflow) = (5_000 + Chance.below(20_000), .refuses) }
        guard profile.shares else { return }
        let overflows: [DiskLimits.Overflow] = [.evicts, .refuses, .refusesByContent]
        (bytes, overflow, spread) = (10_000 + Chance.below(30_000), overflows[Chance.below(3)], 25)
    }

    /// Whether a record can get too old in a world, which takes minutes.
    var expires: Bool { age > .zero && age < .seconds(3_600) }

    func apply(to policy: inout RecorderPolicy) {
        if let bytes { (policy.limits.bytes, policy.limits.overflow) = (bytes, overflow) }
        policy.limits.age = age
        policy.batchByteLimit = min(policy.batchByteLimit, requestBytes)
        policy.requestFormat = format
        policy.keepsOrder = keepsOrder
        if let mostFailures, !policy.failureRule.retriesInFlush { policy.discardsAfterFailures = mostFailures }
    }

    func chooseStream(of streams: Int) -> Int { Chance.below(100) < spread ? Chance.below(streams) : 0 }

    func key(of record: Int) -> String? { keepsOrder ? "key \(Self.keyNumber(of: record))" : nil }

    static func keyNumber(of record: Int) -> Int { record % 3 }
}
