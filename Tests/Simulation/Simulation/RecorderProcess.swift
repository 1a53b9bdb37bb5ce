import AmplifyFoundation
import AmplifyRecordCache
import Dispatch
import FoundationEssentials
import RecorderAWS
import RecorderEngine
import SimulatedMachine
import Synchronization

/// Set once, by a completion.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

/// The provider of a user who did not think of failures.
private struct HangingProvider: AWSCredentialsProvider {
    func resolve() async throws -> any AWSCredentials {
        while true { machine_sleep(3_600_000_000_000) }
    }
}

/// A simulated process with a recorder: saves records, flushes, and stays until everything is delivered.
struct RecorderProcess {
    /// What kind of program it is.
    enum Kind: Int, CaseIterable {
        case recorder, amplifyClient, submitter
    }

    /// The first one that opens the store makes it.
    static let directory = "/world/home/store"
    static let store = "\(directory)/kinesis.db"
    private let pipeline: RecordPipeline
    private let kind: Kind
    private let life: Int
    private let laws: Laws
    /// Whether its credentials provider never returns.
    private let isHanging: Bool

    init(_ kind: Kind, life: Int, laws: Laws, isHanging: Bool = false) {
        self.kind = kind
        self.life = life
        self.laws = laws
        self.isHanging = isHanging
        let service = Service(life: life, laws: laws)
        var policy =
            kind == .amplifyClient ? RecorderPolicy.amplify(.kinesis, cacheBytes: 5_000_000, maxRetries: .max) : .legacy
        policy.keylessRecords = .withNumberedKeys
        policy.assumesDistributionByKey = true
        laws.settings.apply(to: &policy)
        let credentials: any CredentialsSource =
            isHanging ? ProviderCredentials(HangingProvider()) : AnonymousCredentials()
        pipeline = RecordPipeline(
            .kinesis,
            store: RecordStore { () throws(RecorderError) in
                StoreLocation(directory: Self.directory, fileName: "kinesis.db")
            },
            policy: policy,
            caller: { () throws(ConfigurationFailure) in
                AWSServiceCaller(
                    .kinesis,
                    configuration: CallConfiguration(
                        region: try Region("us-east-1"),
                        endpoint: try Endpoint(url: "http://localhost:1"),
                        credentials: credentials,
                        transport: service
                    )
                )
            },
            region: { try? Region("us-east-1") },
            emit: { event in
                switch event {
                case .rescued: Ledger.rescues.value += 1
                case .discarded(let discard): laws.discarded(discard)
                case .byteThresholdReached, .settled, .answered: break
                }
            }
        )
    }

    func run(records: Int) {
        if kind != .submitter {
            for option in Self.options { DispatchQueue.global().async { set(option) } }
            save(records)
        }
        while Ledger.isEnding.value == 0 || !isDrained {
            if isHanging { flushInVain() } else { flush() }
            machine_sleep(Int64(500 + Chance.below(3_000)) * 1_000_000)
        }
        if isHanging { return }
        if laws.settings.expires { machine_sleep(Int64(laws.settings.age / .nanoseconds(1))) }
        // What a flush that is cut short has found out is nowhere.
        let isFlushed = Flag()
        pipeline.flush { result in
            Self.tell(result)
            isFlushed.set()
        }
        while !isFlushed.isSet { machine_sleep(10_000_000) }
    }

    private var isDrained: Bool {
        guard let streams = try? pipeline.status().streams else { return false }
        return streams.allSatisfy { $0.records == 0 || Ledger.isGone(Self.number(of: $0)) }
    }

    private static func number(of stream: StreamStatus) -> Int { Int(stream.name.rawValue.dropFirst()) ?? 0 }

    /// Options that only one thread of the program changes, each.
    private static let options: [any WritableKeyPath<RecorderPolicy, Int> & Sendable] = [
        \.saveQueueBytes, \.inFlightBytes,
    ]

    private func set(_ option: any WritableKeyPath<RecorderPolicy, Int> & Sendable) {
        for value in 0..<4 {
            let value = 32 * 1_024 * 1_024 + value
            pipeline.configure { policy in
                machine_sleep(Int64(Chance.below(100)) * 1_000)
                policy[keyPath: option] = value
            }
            machine_sleep(Int64(Chance.below(100)) * 1_000)
            if pipeline.policy[keyPath: option] != value { Ledger.violate("an option stays as it was set", value) }
        }
    }

    private func save(_ records: Int) {
        let sequence = Chance.oneIn(3) ? SaveSequence() : nil
        for _ in 0..<records {
            let entry = Ledger.Entry.add(
                stream: laws.settings.chooseStream(of: laws.streams),
                bytes: 10 + Chance.below(Chance.oneIn(10) ? 20_000 : 400),
                life: life,
                isInSequence: sequence != nil
            )
            let data = PutRequest.Sent.data(entry.number, bytes: entry.bytes)
            let waits = Chance.oneIn(3)
            pipeline.save(
                Data(data),
                stream: "s\(entry.stream)",
                partitionKey: laws.settings.key(of: entry.number),
                sequence: sequence
            ) { note($0, of: entry) }
            if waits { machine_sleep(Int64(Chance.below(200)) * 1_000_000) }
            if laws.profile.discards, Chance.oneIn(25) { clear() }
            if Chance.oneIn(15), !isHanging { flush() }
        }
    }

    private func note(_ result: Result<Void, RecorderError>, of entry: Ledger.Entry) {
        switch result {
        case .success: entry.end(.saved)
        case .failure(let error):
            entry.end(.failed)
            Ledger.failedSaves.value += 1
            machine_tell("save failed: \(error)", Int64(entry.number), 0)
        }
        machine_tell("answered", Int64(entry.number), 0)
        laws.saved(entry, fails: entry.state == .failed)
    }

    private func clear() {
        let end = Ledger.records.value
        pipeline.clear { result in
            let count = try? result.get()
            machine_tell("cleared", Int64(count ?? -1), 0)
            let process = Ledger.process(of: life).value
            guard count != nil, process > 0 else { return }
            Ledger.clearedEnd(by: process).value = end
            Ledger.clearedAt(by: process).value = Int(machine_now())
        }
    }

    /// Starts a flush that cannot get credentials, and gives up.
    private func flushInVain() {
        let ticket = pipeline.flush { result in Self.tell(result) }
        machine_sleep(Int64(Chance.below(3_000)) * 1_000_000)
        pipeline.withdraw(ticket)
    }

    private func flush() {
        let pipeline = pipeline
        switch kind {
        case .recorder, .submitter: pipeline.flush { result in Self.tell(result) }
        case .amplifyClient:
            Task { () async in
                do throws(RecorderError) {
                    Self.tell(.success(try await pipeline.flushIfFree()))
                } catch {
                    Self.tell(.failure(error))
                }
            }
        }
    }

    private static func tell(_ result: Result<FlushReport, RecorderError>) {
        switch result {
        case .success(let report): machine_tell("flushed", Int64(report.delivered), Int64(report.failures.count))
        case .failure(let error): machine_tell("flush failed: \(error)", 0, 0)
        }
    }

    /// What the store says of itself, when all is over, and a last flush was given up.
    func look() {
        let isOver = Flag()
        let ticket = pipeline.flush { _ in isOver.set() }
        machine_sleep(Int64(Chance.below(100)) * 1_000_000)
        pipeline.withdraw(ticket)
        while !isOver.isSet { machine_sleep(10_000_000) }
        do throws(RecorderError) {
            let status = try pipeline.status()
            let totals = status.totals
            Ledger.stored.value = totals.records
            Ledger.discarded.value = totals.discarded
            Ledger.delivered.value = totals.delivered
            Ledger.cleared.value = totals.cleared
            Ledger.discarded(by: .evicted).value = totals.evicted
            Ledger.discarded(by: .expired).value = totals.expired
            Ledger.discarded(by: .rejected).value = totals.rejected
            Ledger.discarded(by: .exhausted).value = totals.exhausted
            if totals.saved != totals.records + totals.delivered + totals.discarded + totals.cleared {
                Ledger.violate("the store's counts agree", totals.saved, totals.records)
            }
            for stream in status.streams where stream.records > 0 && stream.lastError == nil {
                Ledger.violate("the status says why records are left", Self.number(of: stream), stream.records)
            }
            machine_tell("totals", Int64(totals.records), Int64(totals.delivered))
        } catch {
            machine_tell("the store cannot be read: \(error)", 0, 0)
            Ledger.violate("the store can be read at the end", 0)
        }
    }
}
