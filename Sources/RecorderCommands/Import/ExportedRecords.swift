import FoundationEssentials
import LineRecords
import RecorderConcurrency
import RecorderEngine
import RecorderStore

/// Saves the lines that `export` printed, from standard input.
struct ExportedRecords: Sendable {
    private let session: Session
    private let pipelines: [String: RecordPipeline]
    /// Ends all saves at the first one that fails.
    private let sequence = SaveSequence()
    private let window = SaveWindow()
    private let tally = Tally()

    init(_ session: Session) throws(CommandFailure) {
        self.session = session
        var pipelines: [String: RecordPipeline] = [:]
        for service in [StreamServiceDescription.kinesis, .firehose] {
            var policy = RecorderPolicy.standard
            policy.maximumRecordBytes = service.maximumRecordBytes
            policy.limits.bytes = 0
            pipelines[service.name] = try session.pipeline(for: service, policy: policy)
        }
        self.pipelines = pipelines
    }

    func save() async throws(CommandFailure) -> ExitStatus {
        let input = Unshared(try InputReader(nil, stop: .shared))
        let reading = try await CommandFailure.onNewThread(named: "recorder-input") { read(input.value) }
        let (saved, failure) = tally.result
        session.console.report("imported \(Formatting.records(saved))")
        let failures = [failure, reading].compactMap { $0 }
        if let first = failures.min(by: { $0.line < $1.line }) { throw first.failure }
        return .success
    }

    /// A line that was not saved, and why.
    private struct Failure: Sendable {
        let line: Int
        let failure: CommandFailure

        init(line: Int, status: ExitStatus, _ message: String) {
            self.line = line
            failure = CommandFailure(
                status,
                message: "line \(line): \(message) The lines before it are saved; `tail -n +\(line)` prints the others."
            )
        }
    }

    /// Counts the lines that were saved.
    private final class Tally: Sendable {
        private let state = Locked((saved: 0, failure: Failure?.none))

        var result: (saved: Int, failure: Failure?) { state.withLock { $0 } }

        func count(_ result: Result<Void, RecorderError>, ofLine line: Int) {
            state.withLock { state in
                switch result {
                case .success: state.saved += 1
                case .failure(let error):
                    guard line < state.failure?.line ?? .max else { return }
                    state.failure = Failure(line: line, status: ExitStatus(error), error.message)
                }
            }
        }
    }

    // MARK: reading

    /// Saves every line, and waits until all are on disk. Returns the first line that is no record.
    private func read(_ input: InputReader) -> Failure? {
        defer { window.waitUntilEmpty() }
        var (number, line) = (0, [UInt8]())
        var service: String?
        do throws(CommandFailure) {
            while let chunk = try input.next() {
                for part in chunk.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
                    if part.offset > 0 {
                        number += 1
                        if let failure = save(line, number: number, after: &service) { return failure }
                        line.removeAll(keepingCapacity: true)
                    }
                    line.append(contentsOf: part.element)
                }
                guard line.count <= Self.longestLine else {
                    return Failure(line: number + 1, status: .noInput, "it is longer than any record.")
                }
                if tally.result.failure != nil { return nil }
            }
        } catch {
            return Failure(line: number + 1, status: error.status, error.message)
        }
        guard let signal = StopSignal.shared.number else { return save(line, number: number + 1, after: &service) }
        // It may be incomplete.
        let reason = line.isEmpty ? "a signal came before it." : "a signal came before its end."
        return Failure(line: number + 1, status: .signal(signal), reason)
    }

    /// The data in base64, and much more than the other members.
    private static let longestLine = StreamServiceDescription.kinesis.maximumRecordBytes / 3 * 4 + (64 << 10)

    /// Saves one line. The services have stores of their own, so the lines of one are on disk before a line of another is saved:
    /// when one fails, no later one is saved.
    private func save(_ line: [UInt8], number: Int, after last: inout String?) -> Failure? {
        guard !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) else { return nil }
        guard let record = try? JSONDecoder().decode(ExportLine.self, from: Data(line)) else {
            return Failure(
                line: number,
                status: .noInput,
                "it is not a record as `\(Program.name) export` prints it."
            )
        }
        let service = record.service?.split(separator: "-").last.map { String($0) } ?? session.service.name
        guard let pipeline = pipelines[service] else {
            return Failure(line: number, status: .noInput, "there is no service \(service).")
        }
        let key = pipeline.service.sendsPartitionKey ? record.partitionKey : nil
        if let error = invalidity(of: record, key: key, for: pipeline.service) {
            return Failure(line: number, status: .noInput, error.message)
        }
        if service != last {
            window.waitUntilEmpty()
            last = service
            guard tally.result.failure == nil else { return nil }
        }
        let size = record.data.count + SaveWindow.overhead
        window.enter(size)
        pipeline.save(record.data, stream: record.stream, partitionKey: key, sequence: sequence) { [tally, window] in
            tally.count($0, ofLine: number)
            window.leave(size)
        }
        return nil
    }

    /// Why a record cannot be saved; nil if it can. An invalid one among saves would also end those before it.
    private func invalidity(
        of line: ExportLine,
        key: String?,
        for service: StreamServiceDescription
    ) -> RecorderError? {
        let (limit, region) = (service.maximumRecordBytes, session.access.region)
        do {
            _ = try service.record(
                line.data,
                stream: line.stream,
                partitionKey: key,
                maximumBytes: limit,
                region: { region }
            )
            return nil
        } catch {
            return error
        }
    }
}
