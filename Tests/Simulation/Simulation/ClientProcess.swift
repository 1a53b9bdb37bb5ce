import AWSFirehoseClient
import AWSKinesisClient
import Foundation
import RecordClients
import RecorderHTTP
import RecorderStore
import ServiceClientHTTP
import SimulatedMachine

/// A simulated process with a whole client of Amplify, over an engine that is the world's service.
struct ClientProcess {
    private struct Engine: ServiceClientHTTP.HTTPClient {
        let service: Service

        func send(request: ServiceClientHTTP.HTTPRequest) async throws -> ServiceClientHTTP.HTTPResponse {
            var sent = request.origin as? RecorderHTTP.HTTPRequest ?? RecorderHTTP.HTTPRequest(url: "")
            sent.body = request.body.bytes.map(Array.init) ?? []
            let answer = try await service.send(sent)
            var headers = Headers()
            for header in answer.headers { headers.add(name: header.name, value: header.value) }
            return ServiceClientHTTP.HTTPResponse(
                headers: headers,
                statusCode: HTTPStatusCode(rawValue: answer.status) ?? .ok,
                body: .data(Data(answer.body))
            )
        }
    }

    /// What both clients can do.
    private enum Client: Sendable {
        case kinesis(AmplifyKinesisClient)
        case firehose(AmplifyFirehoseClient)

        func record(_ data: [Data], key: String, stream: String) async throws {
            switch self {
            case .kinesis(let client):
                try await client.record(contentsOf: data, partitionKey: key, streamName: stream)
            case .firehose(let client): try await client.record(contentsOf: data, streamName: stream)
            }
        }

        func record(_ data: Data, key: String, stream: String) async throws {
            switch self {
            case .kinesis(let client): try await client.record(data: data, partitionKey: key, streamName: stream)
            case .firehose(let client): try await client.record(data: data, streamName: stream)
            }
        }

        func flush() async throws -> Int {
            switch self {
            case .kinesis(let client): try await client.flush().recordsFlushed
            case .firehose(let client): try await client.flush().recordsFlushed
            }
        }

        func drain() async throws -> Int {
            switch self {
            case .kinesis(let client): try await client.drain().recordsFlushed
            case .firehose(let client): try await client.drain().recordsFlushed
            }
        }
    }

    private let store: Store
    private let start: ProcessStart
    private let client: Client

    init(_ program: Program, _ start: ProcessStart) {
        self.start = start
        store = program == .kinesisClient ? .kinesisClient : .firehoseClient
        let service = start.service
        let strategy: FlushStrategy = Chance.oneIn(3) ? .none : .interval(Double(1 + Chance.below(8)))
        let retries = start.profile.badService && Chance.oneIn(2) ? Chance.below(6) : .max
        let cache = Int64(start.profile.discards ? 2_000 + Chance.below(20_000) : 5_000_000)
        let directory = URL(fileURLWithPath: start.directory())
        let (drains, shares) = (Chance.oneIn(2), start.sharesEntries())
        guard
            let client = try? program == .kinesisClient
                ? Client.kinesis(
                    AmplifyKinesisClient(
                        region: "us-east-1",
                        credentialsProvider: WorldCredentials(start: start),
                        options: .init(
                            cacheMaxBytes: cache,
                            maxRetries: retries,
                            flushStrategy: strategy,
                            configureClient: { configuration in
                                configuration.httpClientEngine = Engine(service: service)
                                configuration.endpoint = "http://localhost:1"
                            },
                            flushDrains: drains,
                            storeDirectory: directory,
                            aggregatesRecords: shares,
                            keepsOrder: start.laws.settings.keepsOrder,
                            assumesDistributionByKey: !start.profile.reshards
                        )
                    )
                )
                : Client.firehose(
                    AmplifyFirehoseClient(
                        region: "us-east-1",
                        credentialsProvider: WorldCredentials(start: start),
                        options: .init(
                            cacheMaxBytes: cache,
                            maxRetries: retries,
                            flushStrategy: strategy,
                            configureClient: { configuration in
                                configuration.httpClientEngine = Engine(service: service)
                                configuration.endpoint = "http://localhost:1"
                            },
                            flushDrains: drains,
                            storeDirectory: directory,
                            appendsNewline: true,
                            packsRecords: shares
                        )
                    )
                )
        else { preconditionFailure("a client has wrong options") }
        self.client = client
    }

    func run() {
        for _ in 0..<start.records {
            save(Chance.oneIn(8) ? 1 + Chance.below(20) : 1)
            if Chance.oneIn(3) { machine_sleep(Int64(Chance.below(200)) * 1_000_000) }
            if Chance.oneIn(15) { flush() }
        }
        while Ledger.isEnding.value == 0 || !areAllSent {
            flush()
            machine_sleep(Int64(500 + Chance.below(3_000)) * 1_000_000)
        }
        flush()
    }

    private var areAllSent: Bool {
        guard !Laws.isUnused(store) else { return true }
        guard let streams = try? StoreView(at: store.location).status().streams else { return false }
        return isDrained(streams)
    }

    private func save(_ count: Int) {
        let first = start.entry(in: store)
        let entries = [first] + (1..<count).map { _ in start.entry(in: store, stream: first.stream) }
        for entry in entries { entry.hasGivenKey.value = 1 }
        let data = entries.map { Data(PutRequest.Sent.data($0.number, bytes: $0.bytes)) }
        // One for all of a process, so that all of them are in order.
        let key = "client \(start.life)"
        wait { [client] in
            do {
                let stream = "s\(first.stream)"
                if count == 1 {
                    try await client.record(data[0], key: key, stream: stream)
                } else {
                    try await client.record(data, key: key, stream: stream)
                }
                for entry in entries { entry.end(.saved) }
            } catch {
                let isFull = "\(error)".contains("cacheLimitExceeded")
                for entry in entries { entry.end(isFull ? .refused : .failed) }
                machine_tell("record failed: \(error)", Int64(first.number), 0)
            }
            machine_tell("answered", Int64(first.number), Int64(count))
        }
    }

    private func flush() {
        let drains = Chance.oneIn(2)
        wait { [client] in
            do {
                let count = drains ? try await client.drain() : try await client.flush()
                machine_tell("flushed", Int64(count), 0)
            } catch {
                machine_tell("flush failed: \(error)", 0, 0)
            }
        }
    }
}
