import RecorderAWS
import RecorderConcurrency
import RecorderHTTP
import RecorderStore

/// What a pipeline asks the service about its streams, and has learned: how they distribute records, and which hash keys their
/// shards hold.
///
/// `RecordDistribution` decides when to ask. No lookup takes longer than `CallConfiguration.lookupTimeout`, and none is retried:
/// what is not known by then counts as unknown.
final class StreamLookups: Sendable {
    /// Why it matters how a stream distributes records.
    struct Purpose: Sendable {
        /// Records share entries.
        let sharesEntries: Bool
        /// The user says that the records of all streams are placed by their keys.
        let isAssumed: Bool
    }

    private struct Known {
        var distribution = RecordDistribution()
        var shards = ShardRanges()
    }

    /// A stream has up to 20,000 open shards, and a page 1,000.
    private static let mostPages = 100

    private let known = Locked<[StreamName: Known]>([:])

    /// Whether records may share the entries of the next batch. Asks the service if that is not known.
    func mayShare(_ stream: StreamName, for purpose: Purpose, asking sender: BatchSender) async -> Bool {
        let step = known.withLock {
            $0[stream, default: Known()].distribution.begin(isAssumed: purpose.isAssumed, at: SystemTime.now)
        }
        guard step == .ask else { return step == .share }
        let answer = await self.answer(of: stream, for: purpose, asking: sender)
        let (notice, mayShare) = known.withLock { known in
            let notice = known[stream]?.distribution.answered(answer, at: SystemTime.now)
            return (notice, known[stream]?.distribution.mayShare ?? false)
        }
        if let notice { say(notice, of: stream, for: purpose) }
        return mayShare
    }

    /// Whether a request with shared entries that was made before may be sent.
    func stillMayShare(_ stream: StreamName) -> Bool { known.withLock { $0[stream]?.distribution.mayShare ?? true } }

    /// There is a sign that the stream has changed.
    func doubt(_ stream: StreamName, because doubt: RecordDistribution.Doubt) {
        known.withLock { $0[stream]?.distribution.doubt(doubt) }
    }

    /// Which of the entries that were accepted are in a shard that holds their hash key. What is not known to is looked up once:
    /// a stream may have other shards by now, and one that was deleted and created again has others with the same names.
    func areInPlace(
        _ entries: [(hashKey: UInt128, shard: String)],
        of stream: StreamName,
        asking sender: BatchSender
    ) async -> [Bool] {
        var shards = known.withLock { $0[stream]?.shards } ?? ShardRanges()
        let inPlace = entries.map { shards.holds($0.hashKey, in: $0.shard) }
        if inPlace.contains(where: { $0 != true }) {
            if inPlace.contains(nil) { doubt(stream, because: .changed) }
            _ = await listShards(of: stream, asking: sender, before: SystemTime.now + sender.caller.lookupTimeout)
            shards = known.withLock { $0[stream]?.shards } ?? ShardRanges()
        }
        // In a shard that is not listed, an entry is as good as misplaced: no later one will be known to be in place either.
        let places = entries.map { shards.holds($0.hashKey, in: $0.shard) == true }
        if places.contains(false) { doubt(stream, because: .misplaced) }
        return places
    }

    /// The settings of a stream, as the service gives them now; nil if it does not.
    func settings(of stream: StreamName, asking sender: BatchSender) async -> StreamSettings? {
        let request = sender.service.summaryRequest(of: stream)
        let answer = try? await call(request, by: sender, before: SystemTime.now + sender.caller.lookupTimeout)
        return answer.flatMap { StreamSettings($0) }
    }

    // MARK: - calls

    private func answer(
        of stream: StreamName,
        for purpose: Purpose,
        asking sender: BatchSender
    ) async -> RecordDistribution.Answer {
        let end = SystemTime.now + sender.caller.lookupTimeout
        do throws(ServiceFailure) {
            let summary = try await call(sender.service.summaryRequest(of: stream), by: sender, before: end)
            guard let settings = StreamSettings(summary) else { return .refused }
            guard !settings.distributesRecords else { return .automatic }
        } catch {
            return RecordDistribution.Answer(error)
        }
        let isListed = known.withLock { $0[stream]?.shards.isEmpty == false }
        guard purpose.sharesEntries, !isListed else { return .byKey }
        return await listShards(of: stream, asking: sender, before: end)
    }

    /// `.byKey` if the shards are known now.
    private func listShards(
        of stream: StreamName,
        asking sender: BatchSender,
        before end: ContinuousClock.Instant
    ) async -> RecordDistribution.Answer {
        var shards = ShardRanges()
        var token = ""
        for _ in 0..<Self.mostPages {
            do throws(ServiceFailure) {
                let request = sender.service.shardsRequest(of: stream, token: token)
                let page = try await call(request, by: sender, before: end)
                guard let next = shards.add(page) else { return .refused }
                token = next
            } catch {
                return RecordDistribution.Answer(error)
            }
            guard token.isEmpty else { continue }
            known.withLock { $0[stream, default: Known()].shards = shards }
            return shards.isEmpty ? .refused : .byKey
        }
        return .refused
    }

    private func call(
        _ request: CallRequest,
        by sender: BatchSender,
        before end: ContinuousClock.Instant
    ) async throws(ServiceFailure) -> [UInt8] {
        let caller = sender.caller
        let result = await withTaskGroup(of: Result<[UInt8], ServiceFailure>?.self) { group in
            group.addTask {
                var attempts = CallAttempts(maximumRetries: 0)
                do throws(ServiceFailure) {
                    return .success(try await caller.call(request, attempts: &attempts).body)
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await SystemTime.sleep(until: end)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let result else {
            throw ServiceFailure(
                .cancelled,
                message: "\(request.operation) was not answered in \(caller.lookupTimeout.text)."
            )
        }
        return try result.get()
    }

    // MARK: - messages

    private func say(_ notice: RecordDistribution.Notice, of stream: StreamName, for purpose: Purpose) {
        switch notice {
        case .automatic where purpose.sharesEntries:
            RecorderLog.warning(
                "Stream \(stream) distributes records by itself (strategy AUTO), and consumers built on the KCL drop aggregated "
                    + "records there: its records are sent one by one, and have no order. Set its strategy to "
                    + "USER_PARTITION_KEY, or send without aggregation."
            )
        case .automatic:
            RecorderLog.warning(
                "Stream \(stream) distributes records by itself (strategy AUTO): records of a partition key have no order in "
                    + "it. Set its strategy to USER_PARTITION_KEY if consumers need one."
            )
        case .contradicted:
            RecorderLog.warning(
                "Stream \(stream) put records into shards that do not hold their keys, or that ListShards does not name, though "
                    + "its strategy is not AUTO. Its records are sent one by one, as consumers built on the KCL drop aggregated "
                    + "ones there."
            )
        case .notPermitted where purpose.sharesEntries:
            RecorderLog.warning(
                "The credentials may not ask how stream \(stream) distributes records, and aggregated ones are lost for some "
                    + "consumers of a stream with the strategy AUTO: its records are sent one by one. Allow "
                    + "kinesis:DescribeStreamSummary and kinesis:ListShards on the stream, or, if its strategy is "
                    + "USER_PARTITION_KEY, say so: --aggregate=force, or assumesDistributionByKey."
            )
        case .notPermitted:
            RecorderLog.info(
                "flush: the credentials may not describe stream \(stream): if its strategy is AUTO, there is no order in it."
            )
        }
    }
}

extension RecordDistribution.Answer {
    fileprivate init(_ failure: ServiceFailure) {
        switch failure.kind {
        case .denied where failure.isOfService: self = .notPermitted
        case .transport, .cancelled, .credentials, .configuration: self = .unreachable
        default: self = .refused
        }
    }
}
