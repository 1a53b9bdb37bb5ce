import AmplifyFoundation
import AmplifyRecordCache
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

    static let directory = "/world/store"
    static let store = "\(directory)/kinesis.db"
    private let pipeline: RecordPipeline
    private let kind: Kind
    private let discards: Bool
    /// Whether its credentials provider never returns.
    private let isHanging: Bool
    private let streams: Int

    init(_ kind: Kind, life: Int, streams: Int, profile: Profile, isHanging: Bool = false) {
        self.kind = kind
        self.discards = profile.discards
        self.isHanging = isHanging
        self.streams = streams
        let service = Service(life: life, lies: profile.serviceLies, diskFails: profile.diskErrors)
        var policy =
            kind == .amplifyClient ? RecorderPolicy.amplify(.kinesis, cacheBytes: 5_000_000, maxRetries: .max) : .legacy
        policy.keylessRecords = .withNumberedKeys
        policy.assumesDistributionByKey = true
        if profile.discards, kind != .amplifyClient { policy.limits.bytes = 2_000 + Chance.below(20_000) }
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
                if case .rescued = event { Ledger.rescues.value += 1 }
            }
        )
    }

    func run(records: Int) {
        if kind != .submitter { save(records) }
        while Ledger.isEnding.value == 0 || !isDrained {
            if isHanging { flushInVain() } else { flush() }
            machine_sleep(Int64(500 + Chance.below(3_000)) * 1_000_000)
        }
        if isHanging { return }
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
        return streams.allSatisfy {
            $0.records == 0 || Ledger.mood(of: Self.number(of: $0)).value == Service.Mood.isMissing.rawValue
        }
    }

    private static func number(of stream: StreamStatus) -> Int { Int(stream.name.rawValue.dropFirst()) ?? 0 }

    private func save(_ records: Int) {
        for _ in 0..<records {
            let entry = Ledger.Entry.add(
                stream: Chance.below(streams),
                bytes: 10 + Chance.below(Chance.oneIn(10) ? 20_000 : 400)
            )
            let data = PutRequest.Sent.data(entry.number, bytes: entry.bytes)
            let waits = Chance.oneIn(3)
            pipeline.save(Data(data), stream: "s\(entry.stream)", partitionKey: nil) { result in
                switch result {
                case .success: entry.end(.saved)
                case .failure(let error):
                    entry.end(.failed)
                    Ledger.failedSaves.value += 1
                    machine_tell("save failed: \(error)", Int64(entry.number), 0)
                }
                machine_tell("answered", Int64(entry.number), 0)
            }
            if waits { machine_sleep(Int64(Chance.below(200)) * 1_000_000) }
            if discards, Chance.oneIn(25) {
                pipeline.clear { result in machine_tell("cleared", Int64((try? result.get()) ?? -1), 0) }
            }
            if Chance.oneIn(15), !isHanging { flush() }
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

    /// What the store says of itself, when all is over.
    func look() {
        do throws(RecorderError) {
            let status = try pipeline.status()
            let totals = status.totals
            Ledger.stored.value = totals.records
            Ledger.discarded.value = totals.discarded
            Ledger.delivered.value = totals.delivered
            Ledger.cleared.value = totals.cleared
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
