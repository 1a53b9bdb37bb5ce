import FileFollowing
import FoundationEssentials
import RecorderAWS
import RecorderConcurrency
import RecorderStore

/// What one run of the program knows besides the counts in its stores: its requests and its submits.
final class RunMetrics: Sendable {
    private struct Counts {
        /// The path of its store.
        let store: String
        /// Whether there are requests and submits to count.
        let sends: Bool
        var requests: [String: Int] = [:]
        var throttledRecords = 0
        var givenUpSearches = 0
        var submits = 0
        var failedSubmits = 0
        var submitSeconds = 0.0
        var lastSuccess: Date?
        /// By stream.
        var flows: [String: FlowMetrics] = [:]
    }

    /// By the name of the service.
    private let counts = Locked<[String: Counts]>([:])

    /// What may become of a request. `accepted` are those with an answer of success, which may still name records that failed.
    private static let outcomes = ["accepted", "throttled", "server_error", "refused", "denied", "no_answer"]

    /// From now on the metrics have values for a service and its store, even if nothing happens.
    func add(_ service: String, store: String, sends: Bool) {
        counts.withLock { $0[service] = $0[service] ?? Counts(store: store, sends: sends) }
    }

    /// An HTTP request ended; retries count, too.
    func countRequest(to service: String, failure: ServiceFailure?) {
        guard let outcome = Self.outcome(of: failure) else { return }
        change(service) { $0.requests[outcome, default: 0] += 1 }
    }

    /// nil if no request was made.
    private static func outcome(of failure: ServiceFailure?) -> String? {
        switch failure?.kind {
        case nil: "accepted"
        case .throttled: "throttled"
        case .transient: "server_error"
        case .transport, .unreadable, .redirect: "no_answer"
        case .denied, .expiredCredentials, .clockSkew: "denied"
        case .notFound, .invalidRequest, .other: "refused"
        case .credentials, .configuration, .cancelled: nil
        }
    }

    func handle(_ event: RecorderEvent, of service: String) {
        guard case .answered(let answer) = event, answer.throttled > 0 else { return }
        change(service) { $0.throttledRecords += answer.throttled }
    }

    /// Searches for a pattern in a record were given up.
    func countGivenUp(_ searches: Int, of service: String) {
        if searches > 0 { change(service) { $0.givenUpSearches += searches } }
    }

    /// A submit ended.
    func countSubmit(of service: String, _ outcome: FlushOutcome, after duration: Duration) {
        change(service) { counts in
            counts.submits += 1
            counts.submitSeconds += duration / .seconds(1)
            if outcome.status != nil { counts.failedSubmits += 1 }
        }
        if outcome.status == nil, outcome.omitted.isEmpty, !outcome.isStopped { countSuccess(of: service) }
    }

    /// Everything was sent, or nothing was stored.
    func countSuccess(of service: String) {
        change(service) { $0.lastSuccess = Date() }
    }

    /// Takes note of the flows of a service, by stream.
    func note(_ flows: [String: FlowMetrics], of service: String) {
        change(service) { $0.flows = flows }
    }

    private func change(_ service: String, by change: (inout Counts) -> Void) {
        counts.withLock { counts in
            guard var changed = counts.removeValue(forKey: service) else {
                return assertionFailure("counts of a service that was not added")
            }
            change(&changed)
            counts[service] = changed
        }
    }

    // MARK: text

    var families: [MetricFamily] {
        let counts = counts.withLock { $0 }.sorted { $0.key < $1.key }.map { service, counts in
            (labels: [("service", service), ("store", counts.store)], counts: counts)
        }
        let sending = counts.filter(\.counts.sends)
        return Self.requests(sending) + Self.submits(sending) + Self.flows(counts) + Self.searches(counts)
    }

    private typealias Sample = MetricFamily.Sample
    private typealias Run = (labels: [(name: String, value: String)], counts: Counts)

    private static func requests(_ counts: [Run]) -> [MetricFamily] {
        [
            MetricFamily(
                "requests_total",
                .counter,
                help:
                    "Requests of this process by outcome; each retry counts, and accepted ones may hold records that failed.",
                samples: counts.flatMap { labels, counts in
                    outcomes.map { outcome in
                        Sample(counts.requests[outcome] ?? 0, labels: labels + [("outcome", outcome)])
                    }
                }
            ),
            MetricFamily(
                "throttled_records_total",
                .counter,
                help:
                    "Records that an accepted request of this process held and the service had no capacity for; each time counts.",
                samples: counts.map { Sample($1.throttledRecords, labels: $0) }
            ),
        ]
    }

    private static func flows(_ counts: [Run]) -> [MetricFamily] {
        guard counts.contains(where: { !$0.counts.flows.isEmpty }) else { return [] }
        func flow(
            _ name: String,
            _ kind: MetricFamily.Kind = .gauge,
            help: String,
            _ value: (FlowMetrics) -> Int
        ) -> MetricFamily {
            let samples = counts.flatMap { labels, counts in
                counts.flows.sorted { $0.key < $1.key }.map { stream, flow in
                    Sample(value(flow), labels: labels + [("stream", stream)])
                }
            }
            return MetricFamily("flow_\(name)", kind, help: help, samples: samples)
        }
        return [
            flow("paused", help: "1 while nothing is read for a stream, because the store takes nothing more of it.") {
                $0.isPaused ? 1 : 0
            },
            flow(
                "unread_bytes",
                help: "What the files that are followed for a stream hold and the store does not.",
                \.unreadBytes
            ),
            flow(
                "oldest_unread_age_seconds",
                help: "For how long a file of a stream has had bytes that are not stored, at most; 0 if none has.",
                \.unreadSeconds
            ),
            flow(
                "files",
                help: "The files that are followed for a stream, those that were rotated away included.",
                \.files
            ),
            flow(
                "read_bytes_total",
                .counter,
                help: "What this process has read of the files of a stream; what is read again counts again.",
                \.readBytes
            ),
            flow(
                "read_records_total",
                .counter,
                help: "The records that this process has made of the lines of a stream's files.",
                \.readRecords
            ),
            flow(
                "truncations_total",
                .counter,
                help: "How often files of a stream were truncated in place, so that lines may be missing.",
                \.truncations
            ),
            flow(
                "incomplete_files_total",
                .counter,
                help: "Files of a stream that were truncated in place, or gone before they were read to their ends.",
                \.incompleteFiles
            ),
            flow(
                "skipped_copies_total",
                .counter,
                help: "Files of a stream that are not read, because all of them was read from another file.",
                \.copies
            ),
        ]
    }

    private static func searches(_ counts: [Run]) -> [MetricFamily] {
        guard counts.contains(where: { $0.counts.givenUpSearches > 0 }) else { return [] }
        let help = "Searches for a pattern in a record that took too long; the record counts as not matching."
        let samples = counts.map { Sample($1.givenUpSearches, labels: $0) }
        return [MetricFamily("given_up_searches_total", .counter, help: help, samples: samples)]
    }

    private static func submits(_ counts: [Run]) -> [MetricFamily] {
        [
            MetricFamily(
                "failed_submits_total",
                .counter,
                help: "Submits of this process after which records were left because of an error.",
                samples: counts.map { Sample($1.failedSubmits, labels: $0) }
            ),
            MetricFamily(
                "submit_duration_seconds",
                .summary,
                help: "The time that submits of this process took.",
                samples: counts.flatMap { labels, counts in
                    [
                        Sample(counts.submitSeconds, suffix: "_sum", labels: labels),
                        Sample(counts.submits, suffix: "_count", labels: labels),
                    ]
                }
            ),
            MetricFamily(
                "last_success_timestamp_seconds",
                .gauge,
                help:
                    "When a submit of this process last sent everything that was stored, or found nothing, in seconds since "
                    + "1970; 0 for never.",
                samples: counts.map { labels, counts in
                    Sample(counts.lastSuccess?.timeIntervalSince1970 ?? 0, labels: labels)
                }
            ),
        ]
    }
}
