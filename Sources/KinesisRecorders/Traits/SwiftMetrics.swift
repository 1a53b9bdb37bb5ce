#if SwiftMetrics
    import Metrics

    extension AWSAbstractKinesisRecorder {
        /// Passes the metrics of each submit to swift-metrics, after the submit. A `metricsHandler` is called as well.
        ///
        /// | metric | kind | what it says |
        /// |---|---|---|
        /// | `kinesis_recorder_delivered_records`, `kinesis_recorder_delivered_entries` | counter | accepted records, and the entries that the service bills |
        /// | `kinesis_recorder_discarded_records` | counter | records that left undelivered |
        /// | `kinesis_recorder_submits`, `kinesis_recorder_failed_submits` | counter | submits, and those that failed |
        /// | `kinesis_recorder_submit_duration` | timer | from the call to its end |
        /// | `kinesis_recorder_stored_records`, `kinesis_recorder_stored_bytes` | gauge | what the store holds |
        ///
        /// Counters count this process. Calls that share a submit each report it. A second call replaces the dimensions of the
        /// first.
        ///
        /// - Parameter dimensions: names and values that tell this recorder from others, none by default.
        public func sendMetrics(dimensions: [(String, String)] = []) {
            sender.forwardMetrics { submit in
                func counter(_ name: String, _ count: Int) {
                    Counter(label: "kinesis_recorder_\(name)", dimensions: dimensions).increment(by: count)
                }
                counter("delivered_records", submit.recordsSent)
                counter("delivered_entries", submit.entriesSent)
                counter("discarded_records", submit.recordsDiscarded)
                counter("submits", 1)
                counter("failed_submits", submit.error == nil ? 0 : 1)
                Timer(label: "kinesis_recorder_submit_duration", dimensions: dimensions)
                    .recordNanoseconds(Int64(submit.duration * 1e9))
                if let statistics = submit.statistics {
                    Gauge(label: "kinesis_recorder_stored_records", dimensions: dimensions).record(statistics.stored)
                    Gauge(label: "kinesis_recorder_stored_bytes", dimensions: dimensions).record(statistics.storedBytes)
                }
            }
        }
    }
#endif
