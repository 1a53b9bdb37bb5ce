import Foundation
import RecorderConcurrency
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// 2,000 records a second for a long time, with a service that fails now and then: resource use must not grow.
    @Suite struct Soak {
        private struct Sample {
            var residentKilobytes: Int
            var descriptors: Int
            var logBytes: Int

            init?(_ process: pid_t, _ database: String) {
                guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
                    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
                    let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
                else { return nil }
                residentKilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
                descriptors = files.count
                logBytes = size(of: "\(database)-wal")
            }
        }

        @Test func `at 2,000 records a second with faults, nothing is lost and resource use does not grow`()
            async throws
        {
            let runSeconds = seconds(5, full: 3_600)
            let directory = try TemporaryDirectory()
            let service = try NumberedService(seed: seed + 50)
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            let database = "\(path)/kinesis.db"
            let child = try Child("soak", path, service.url, journal, "soak", "\(runSeconds)")
            async let end = child.end()
            var samples: [Sample] = []
            let stop = ContinuousClock.now + .seconds(runSeconds)
            while ContinuousClock.now < stop {
                try await Task.sleep(for: .milliseconds(runSeconds < 60 ? 100 : 1_000))
                // The process has started once there is a log.
                if let sample = Sample(child.id, database), sample.logBytes > 0 { samples.append(sample) }
            }
            #expect(await end == .exit(0))
            let reading = JournalReading(journal)
            let acknowledged = reading.notes.compactMap { Int($0) }.first ?? 0
            let warm = samples.dropFirst(samples.count / 4)
            let half = warm.count / 2
            let growth = mean(warm.suffix(half)) - mean(warm.prefix(half))
            let descriptors = warm.map(\.descriptors)
            let files = ["", "-wal"].reduce(0) { $0 + size(of: database + $1) }
            report(
                "R28 soak:",
                [
                    "seconds": runSeconds, "acked": acknowledged,
                    "lost": acknowledged - service.distinct(below: acknowledged),
                    "RSS KB": samples.last?.residentKilobytes ?? 0, "RSS growth KB": growth,
                    "descriptors": "\(descriptors.min() ?? 0)-\(descriptors.max() ?? 0)",
                    "largest WAL": samples.map(\.logBytes).max() ?? 0, "files after": files,
                ]
            )
            #expect(reading.failures == [])
            #expect(acknowledged > (isLongRun ? runSeconds * 500 : 0))
            #expect(service.distinct(below: acknowledged) == acknowledged)
            #expect(samples.allSatisfy { $0.logBytes <= 8 * 1_024 * 1_024 })
            #expect(files <= 512 * 1_024)
            // A short run has not yet reached every size of batch and backlog, nor opened every file.
            guard runSeconds >= 60 else { return }
            #expect(growth <= 2_048)
            #expect((descriptors.max() ?? 0) - (descriptors.min() ?? 0) <= 4)
        }

        private func mean(_ samples: some Collection<Sample>) -> Int {
            samples.reduce(0) { $0 + $1.residentKilobytes } / max(samples.count, 1)
        }
    }
}

func size(of path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
}

/// A faulty Kinesis endpoint for numbered records: keeps one bit for each.
private final class NumberedService: Sendable {
    private let server: LocalServer
    private let seen: Seen

    private final class Seen: Sendable {
        let state: Locked<(random: SeededRandom, arrived: [Bool])>
        init(_ seed: UInt64) { state = Locked((SeededRandom(seed), [])) }

        func answer(_ request: ReceivedRequest) -> Reply {
            let entries = PutRequestBody(request.body).aggregatedRecords.map { entry in
                entry.map { data in
                    Int(String(decoding: data.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? 0
                }
            }
            return state.withLock { state in
                let fault = Int.random(in: 0..<20, using: &state.random)
                guard fault > 1 else { return fault == 0 ? .error(500, "InternalFailure") : .dropConnection }
                let answers = entries.map { numbers in
                    if fault == 2, numbers.contains(where: { $0 % 7 == 0 }) {
                        return #"{"ErrorCode":"ProvisionedThroughputExceededException"}"#
                    }
                    for number in numbers {
                        while state.arrived.count <= number { state.arrived.append(false) }
                        state.arrived[number] = true
                    }
                    return #"{"SequenceNumber":"1","ShardId":"shardId-000000000000"}"#
                }
                return .json(200, #"{"FailedRecordCount":0,"Records":[\#(answers.joined(separator: ","))]}"#)
            }
        }
    }

    init(seed: UInt64) throws {
        let seen = Seen(seed)
        self.seen = seen
        server = try LocalServer(keepsRequests: false) { request, _ in seen.answer(request) }
    }

    var url: String { server.url }

    func distinct(below end: Int) -> Int { seen.state.withLock { $0.arrived.prefix(end).count { $0 } } }
}
