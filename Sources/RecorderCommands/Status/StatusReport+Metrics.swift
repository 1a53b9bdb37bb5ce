/// The counts of stores as metrics: those of `status --json`, under the names that Prometheus asks for.
extension StatusReport {
    private typealias Family = MetricFamily
    private typealias Sample = MetricFamily.Sample

    static func metrics(of reports: [StatusReport]) -> [MetricFamily] {
        stored(in: reports) + counters(of: reports)
    }

    private static func stored(in reports: [StatusReport]) -> [MetricFamily] {
        func stream(_ name: String, help: String, _ value: (Stream) -> Int) -> Family {
            let samples = reports.flatMap { report in
                report.streams.map { Sample(value($0), labels: report.labels + [("stream", $0.arn ?? $0.name)]) }
            }
            return Family(name, .gauge, help: help, samples: samples)
        }
        return [
            stream("stored_records", help: "Records in the store.", \.records),
            stream(
                "stored_bytes",
                help: "What these records take: payload, partition key and 64 bytes each.",
                \.bytes
            ),
            stream(
                "oldest_record_age_seconds",
                help: "The time since the oldest record in the store was saved; 0 if there is none."
            ) { $0.oldestAgeSeconds ?? 0 },
            stream("stream_failing", help: "1 if the last submit left records of the stream because of an error.") {
                $0.lastError == nil ? 0 : 1
            },
            Family(
                "store_limit_bytes",
                .gauge,
                help: "The size limit of the store, as of the last save; 0 for no limit.",
                samples: reports.compactMap { report in
                    report.byteLimit.map { Sample($0, labels: report.labels) }
                }
            ),
        ]
    }

    private static func counters(of reports: [StatusReport]) -> [MetricFamily] {
        func counter(_ name: String, help: String, _ value: (StatusReport) -> Int) -> Family {
            Family("\(name)_total", .counter, help: help, samples: reports.map { Sample(value($0), labels: $0.labels) })
        }
        return [
            counter("saved_records", help: "Records ever saved to the store.") { $0.saved },
            counter("delivered_records", help: "Records that the service accepted.") { $0.delivered },
            counter(
                "delivered_entries",
                help: "Entries of requests that the service accepted, which it counts and bills as records."
            ) { $0.entries ?? 0 },
            counter("retried_records", help: "Failures after which a record was kept; a record counts at each one.") {
                $0.retried
            },
            Family(
                "discarded_records_total",
                .counter,
                help:
                    "Records that left the store undelivered: evicted (--limit), expired (--max-age), rejected by the "
                    + "service as invalid, exhausted (too many failures).",
                samples: reports.flatMap(\.discards)
            ),
            counter("cleared_records", help: "Records that were removed by clear.") { $0.cleared },
        ]
    }

    private var discards: [MetricFamily.Sample] {
        let counts = [("evicted", evicted), ("expired", expired), ("rejected", rejected), ("exhausted", exhausted)]
        return counts.map { reason, count in Sample(count, labels: labels + [("reason", reason)]) }
    }

    private var labels: [(name: String, value: String)] { [("service", service), ("store", path)] }
}
