import Foundation
import Glibc
import RecordClientFoundation
import RecorderAWS
import RecorderStore
import SimulatedMachine
import Synchronization

/// What runs in a process.
enum Program: String, CaseIterable {
    /// Saves and flushes; the second one with the policy of a client; the third one only flushes.
    case recorder, clientOfSameStore, submitter
    case firehoseRecorder
    /// Whole clients of Amplify, each with a store of its own.
    case kinesisClient, firehoseClient
    /// The command line: see `CommandProcess`.
    case save, submit, watch, look

    /// Those that send what other programs of their store have left.
    var sends: [Store] {
        switch self {
        case .recorder, .clientOfSameStore, .submitter: [.kinesis]
        case .firehoseRecorder: [.firehose]
        case .kinesisClient: [.kinesisClient]
        case .firehoseClient: [.firehoseClient]
        case .watch: [.kinesis, .firehose]
        case .save, .submit, .look: []
        }
    }

    func run(_ start: ProcessStart) {
        switch self {
        case .recorder, .clientOfSameStore, .submitter, .firehoseRecorder: RecorderProcess(self, start).run()
        case .kinesisClient, .firehoseClient: ClientProcess(self, start).run()
        case .save, .submit, .watch, .look: CommandProcess(self, start).run()
        }
    }
}

/// With what a process starts.
struct ProcessStart {
    let life: Int
    /// How many records it saves.
    let records: Int
    let laws: Laws
    /// Whether its credentials provider never returns.
    var isHanging = false

    var profile: Profile { laws.profile }

    /// The key that a record is saved with; nil if it is saved without one.
    func key(of entry: Ledger.Entry) -> String? {
        let number = entry.number
        let key = laws.settings.key(of: number) ?? (profile.reshards && number % 3 > 0 ? "k\(number % 5)" : nil)
        entry.hasGivenKey.value = key == nil ? 0 : 1
        return key
    }

    /// A record of one of the streams.
    func entry(in store: Store = .kinesis, stream: Int? = nil, isInSequence: Bool = false) -> Ledger.Entry {
        Ledger.Entry.add(
            stream: stream ?? laws.settings.chooseStream(of: laws.streams),
            bytes: 10 + Chance.below(Chance.oneIn(10) ? 20_000 : 400),
            life: life,
            isInSequence: isInSequence,
            to: store
        )
    }

    /// The directory of the stores, by one of its names.
    func directory() -> String { profile.links && Chance.oneIn(2) ? Store.link : Store.directory }

    /// Whether records share the entries of requests.
    func sharesEntries() -> Bool { profile.reshards && !Chance.oneIn(3) }

    var service: Service { Service(life: life, laws: laws, assumesDistributionByKey: !profile.reshards) }
}

/// Set once, by a completion.
final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }

    func wait() {
        while !isSet { machine_sleep(10_000_000) }
    }
}

/// Runs a task, and waits for its end.
func wait(for body: @escaping @Sendable () async -> Void) {
    let flag = Flag()
    Task {
        await body()
        flag.set()
    }
    flag.wait()
}

/// Whether all that can be sent of a store has been sent.
func isDrained(_ streams: [StreamStatus]) -> Bool { streams.allSatisfy { $0.records == 0 || Ledger.isGone($0.number) } }

extension StreamStatus {
    var number: Int { Int(name.rawValue.dropFirst()) ?? 0 }
    /// Whether it keeps records, and does not say why.
    var isUnexplained: Bool { records > 0 && lastError == nil }
}

/// The provider of a user: keys that expire, and a provider that fails, or never returns.
struct WorldCredentials: AWSCredentialsProvider {
    struct Keys: AWSTemporaryCredentials {
        let accessKeyId = "AKIA"
        let secretAccessKey = "secret"
        /// Until when the service takes them.
        let sessionToken: String
        let expiration: Date
    }

    let start: ProcessStart

    /// Not private: the name of a private type has an address, which differs from trace to trace.
    struct Unavailable: Error {}

    func resolve() async throws -> any AWSCredentials {
        if start.isHanging {
            while true { machine_sleep(3_600_000_000_000) }
        }
        let isBad = start.profile.badService && Ledger.isEnding.value == 0
        if isBad, Chance.oneIn(10) { throw Unavailable() }
        if isBad, Chance.oneIn(10) { machine_sleep(Int64(Chance.below(20_000)) * 1_000_000) }
        let seconds = isBad ? Chance.below(60) : 3_600
        return Keys(
            sessionToken: "\(machine_now() + Int64(seconds) * 1_000_000_000)",
            expiration: Date().addingTimeInterval(Double(seconds))
        )
    }
}
