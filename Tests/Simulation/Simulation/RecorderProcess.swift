import Dispatch
import Foundation
import Glibc
import RecordClientFoundation
import RecordClients
import RecorderAWS
import RecorderDelivery
import RecorderEngine
import RecorderStore
import SimulatedMachine

/// A simulated process with a recorder: saves records, flushes, and stays until everything is delivered.
struct RecorderProcess {
    private let pipeline: RecordPipeline
    private let program: Program
    private let store: Store
    private let start: ProcessStart
    private var laws: Laws { start.laws }

    private let hasSaved = Flag()

    init(_ program: Program, _ start: ProcessStart, directory: String? = nil) {
        self.program = program
        self.start = start
        let (laws, service) = (start.laws, start.service)
        let store: Store = program == .firehoseRecorder ? .firehose : .kinesis
        self.store = store
        var policy =
            program == .clientOfSameStore
            ? RecorderPolicy.amplify(store.service, cacheBytes: 5_000_000, maxRetries: .max) : .legacy
        policy.keylessRecords = .withNumberedKeys
        policy.assumesDistributionByKey = service.assumesDistributionByKey
        if store == .firehose { policy.delimiter = UInt8(ascii: "\n") }
        if start.sharesEntries() { policy.sharedEntryBytes = SharedEntryLimits.of(store.service).standard }
        laws.settings.apply(to: &policy)
        let isAnonymous = !start.isHanging && !laws.profile.badService
        let credentials: any CredentialsSource =
            isAnonymous ? AnonymousCredentials() : ProviderCredentials(WorldCredentials(start: start))
        let location = StoreLocation(directory: directory ?? start.directory(), fileName: store.location.fileName)
        // Once its file is open, it stays there, whatever the environment says.
        let (later, hasSaved) = (StoreLocation(directory: Store.other, fileName: location.fileName), hasSaved)
        let changes = start.profile.links && start.life % 3 == 1
        pipeline = RecordPipeline(
            store.service,
            store: RecordStore { () throws(RecorderError) in changes && hasSaved.isSet ? later : location },
            policy: policy,
            caller: { () throws(ConfigurationFailure) in
                AWSServiceCaller(
                    store.service.service,
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
                case .rescued(let rescue):
                    Ledger.rescues.value += 1
                    machine_tell("rescued: \(rescue)", 0, 0)
                case .discarded(let discard): laws.discarded(discard)
                case .byteThresholdReached, .settled, .answered: break
                }
            }
        )
    }

    func run() {
        if program != .submitter {
            for option in Self.options { DispatchQueue.global().async { set(option) } }
            save(start.records)
        }
        while Ledger.isEnding.value == 0 || !areAllSent {
            if start.isHanging { flushInVain() } else { flush() }
            machine_sleep(Int64(500 + Chance.below(3_000)) * 1_000_000)
        }
        if start.isHanging { return }
        if laws.settings.expires { machine_sleep(Int64(laws.settings.age / .nanoseconds(1))) }
        // What a flush that is cut short has found out is nowhere.
        let isFlushed = Flag()
        pipeline.flush { result in
            Self.tell(result)
            isFlushed.set()
        }
        isFlushed.wait()
    }

    private var areAllSent: Bool {
        guard let streams = try? pipeline.status().streams else { return Laws.isUnused(store) }
        return isDrained(streams)
    }

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
            let entry = start.entry(in: store, isInSequence: sequence != nil)
            let data = PutRequest.Sent.data(entry.number, bytes: entry.bytes)
            let waits = Chance.oneIn(3)
            pipeline.save(
                Data(data),
                stream: "s\(entry.stream)",
                partitionKey: store == .firehose ? nil : start.key(of: entry),
                sequence: sequence
            ) { note($0, of: entry) }
            if waits { machine_sleep(Int64(Chance.below(200)) * 1_000_000) }
            if laws.profile.discards, Chance.oneIn(25) { clear() }
            if Chance.oneIn(15), !start.isHanging { flush() }
        }
    }

    private func note(_ result: Result<Void, RecorderError>, of entry: Ledger.Entry) {
        switch result {
        case .success:
            entry.end(.saved)
            hasSaved.set()
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
            let process = Ledger.process(of: start.life).value
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
        guard program == .clientOfSameStore else {
            pipeline.flush { result in Self.tell(result) }
            return
        }
        Task { () async in
            do throws(RecorderError) {
                Self.tell(.success(try await pipeline.flushIfFree()))
            } catch {
                Self.tell(.failure(error))
            }
        }
    }

    private static func tell(_ result: Result<FlushReport, RecorderError>) {
        switch result {
        case .success(let report): machine_tell("flushed", Int64(report.delivered), Int64(report.failures.count))
        case .failure(let error): machine_tell("flush failed: \(error)", 0, 0)
        }
    }

    /// A link to the directory is changed: whether what is saved from then on is where it leads.
    func followsLink() -> Bool {
        let (isStored, isEnded) = (Flag(), Flag())
        for changes in [false, true] {
            if changes { machine_move_link() }
            pipeline.save(Data("link".utf8), stream: "s0", partitionKey: nil) { result in
                if changes, (try? result.get()) != nil { isStored.set() }
                if changes { isEnded.set() }
            }
            machine_sleep(1_000_000_000)
        }
        isEnded.wait()
        return !isStored.isSet || access("\(Store.other)/\(Store.kinesis.location.fileName)", F_OK) == 0
    }

    /// What the store says of itself, when all is over, and a last flush was given up.
    func look() {
        let isOver = Flag()
        let ticket = pipeline.flush { _ in isOver.set() }
        machine_sleep(Int64(Chance.below(100)) * 1_000_000)
        pipeline.withdraw(ticket)
        isOver.wait()
        do throws(RecorderError) {
            var status = try pipeline.status()
            if status.streams.contains(where: \.isUnexplained) {
                // Each flush before may have been stopped while a request that began among the faults still had no answer.
                flushWhole()
                status = try pipeline.status()
            }
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
            for stream in status.streams where stream.isUnexplained {
                Ledger.violate("the status says why records are left", stream.number, stream.records)
            }
            machine_tell("totals", Int64(totals.records), Int64(totals.delivered))
        } catch {
            machine_tell("the store cannot be read: \(error)", 0, 0)
            Ledger.violate("the store can be read at the end", 0)
        }
    }

    private func flushWhole() {
        let isOver = Flag()
        pipeline.flush { _ in isOver.set() }
        isOver.wait()
    }
}
