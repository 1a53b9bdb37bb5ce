import Foundation
import RecorderCommands
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// `status --prometheus` and `--metrics-file`: the store's own counts, in a format that Prometheus reads.
@Suite(.timeLimit(.minutes(5))) struct MetricsTests {
    // MARK: the format

    @Test func `labels, helps and types are written as the text format asks`() throws {
        let label = "a\\b\"c\"\u{301}\nd\u{1B}\u{202E}ü"
        let text = MetricFamily.text(of: [
            MetricFamily(
                "saved_records_total",
                .counter,
                help: "Saved.",
                samples: [.init(3, labels: [("store", label)])]
            ),
            MetricFamily("nothing_bytes", .gauge, help: "Without samples.", samples: []),
            MetricFamily(
                "wait_seconds",
                .summary,
                help: "Waited.",
                samples: [.init(1e-7, suffix: "_sum"), .init(2, suffix: "_count")]
            ),
        ])
        #expect(
            text == #"""
                # HELP kinesis_recorder_saved_records_total Saved.
                # TYPE kinesis_recorder_saved_records_total counter
                kinesis_recorder_saved_records_total{store="a\\b\"c\"\#u{301}\\u{a}d\\u{1b}\\u{202e}ü"} 3
                # HELP kinesis_recorder_wait_seconds Waited.
                # TYPE kinesis_recorder_wait_seconds summary
                kinesis_recorder_wait_seconds_sum 1e-07
                kinesis_recorder_wait_seconds_count 2
                """#
        )
        #expect(try PrometheusReader(text + "\n").values.count == 3)
    }

    @Test(arguments: [
        "a_total 1", "# TYPE kinesis_recorder_a_total counter\nkinesis_recorder_a_total 1",
        "# HELP kinesis_recorder_a A.\n# TYPE kinesis_recorder_a counter\nkinesis_recorder_a 1",
        "# HELP kinesis_recorder_a A.\n# TYPE kinesis_recorder_a gauge\nkinesis_recorder_a 1\nkinesis_recorder_a 1",
        "# HELP kinesis_recorder_a A.\n# TYPE kinesis_recorder_a gauge\nkinesis_recorder_a{b=\"\\u\"} 1",
        "# HELP kinesis_recorder_a A.\n# TYPE kinesis_recorder_a gauge\nkinesis_recorder_b 1",
        "# HELP kinesis_recorder_a A.\n# TYPE kinesis_recorder_a gauge\nkinesis_recorder_a x",
        "# HELP kinesis_recorder_a_ms A.\n# TYPE kinesis_recorder_a_ms gauge\nkinesis_recorder_a_ms 1",
    ])
    func `the reader of these tests refuses wrong metrics`(text: String) {
        #expect(throws: PrometheusReader.Failure.self) { try PrometheusReader(text + "\n") }
    }

    // MARK: the counts

    @Test func `status --prometheus prints the counts of both stores, by stream`() async throws {
        let tool = try Tool()
        #expect(try await tool.run("status", "--prometheus").out.contains("kinesis_recorder_build_info{version="))
        _ = try await tool.run("save", "one", "-p", "k", input: Data("abc\n".utf8))
        _ = try await tool.run("save", "two", "-p", "k", "--limit", "1M", input: Data("abcdef\nghi\n".utf8))
        _ = try await tool.run("save", "one", "-F", input: Data("a\n".utf8))
        let metrics = try PrometheusReader(try await tool.run("status", "--prometheus").out)
        #expect(metrics.sum("stored_records") == 4 && metrics.sum("stored_records", #"stream="one""#) == 2)
        #expect(metrics.sum("stored_bytes", #"service="kinesis",store="#) == 68 + 139)
        #expect(metrics.sum("saved_records_total", #"service="firehose""#) == 1)
        #expect(metrics.sum("store_limit_bytes", #"service="kinesis""#) == 1 << 20)
        #expect((0..<60).contains(metrics.sum("oldest_record_age_seconds")))
        #expect(metrics.types["kinesis_recorder_stored_bytes"] == "gauge")
        #expect(try await tool.run("status", "--prometheus", "--json").status == 64)
    }

    @Test func `after a run with failures the file has the counts of status, and every request`() async throws {
        let service = try FailingService()
        let tool = try Tool(to: service.server.url)
        let file = tool.home.path("recorder.prom")
        let lines = (0..<1_200).map { "\($0)" }.joined(separator: "\n")
        _ = try await tool.run("save", "app", input: Data(lines.utf8))
        let ran = try await tool.run("submit", "--metrics-file", file)
        #expect(ran.status == 0, "\(ran)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let metrics = try PrometheusReader(text)
        let counts = try await tool.counts()
        for (name, count) in counts { #expect(metrics.sum(name) == count, "\(name)") }
        let (saved, delivered) = (metrics.sum("saved_records_total"), metrics.sum("delivered_records_total"))
        let discarded = metrics.sum("discarded_records_total")
        #expect(saved == 1_200 && discarded == 1)
        #expect(metrics.sum("discarded_records_total", #"reason="rejected""#) == 1)
        #expect(saved == metrics.sum("stored_records") + delivered + discarded)
        #expect(metrics.sum("retried_records_total") == service.throttled + service.failed)
        #expect(metrics.sum("throttled_records_total") == service.throttled)
        #expect(metrics.sum("requests_total") == service.server.requests.count)
        #expect(metrics.sum("requests_total", #"outcome="server_error""#) == 1)
        #expect(metrics.sum("requests_total", #"outcome="throttled""#) == 1)
        #expect(metrics.sum("submit_duration_seconds_count") == 1 && metrics.sum("failed_submits_total") == 0)
        #expect(abs(Double(metrics.sum("last_success_timestamp_seconds")) - Date().timeIntervalSince1970) < 120)
        #expect(!text.contains(Canary.secret) && !text.contains(Canary.accessKey))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o644)
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.home.path)
        #expect(names.filter { $0.hasPrefix("recorder.prom") } == ["recorder.prom"])
    }

    @Test func `a watch writes its file after each submit, also after one that failed`() async throws {
        let service = try LocalServer { _, _ in .error(400, "ResourceNotFoundException") }
        let tool = try Tool(to: service.url)
        let file = tool.home.path("recorder.prom")
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let running = try tool.start(["submit", "--watch", "1", "--metrics-file", file])
        await service.received(3)
        // The second submit had ended when the third one began.
        let metrics = try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8))
        #expect(metrics.sum("failed_submits_total") >= 2 && metrics.sum("last_success_timestamp_seconds") == 0)
        #expect(metrics.sum("requests_total", #"outcome="refused""#) >= 2)
        _ = running.signal(SIGTERM)
        #expect(await running.end().status == 0)
    }

    @Test func `save --submit writes the file, with what it saved and sent`() async throws {
        let service = try AcceptingService()
        let tool = try Tool(to: service.url)
        let file = tool.home.path("recorder.prom")
        let ran = try await tool.run("save", "app", "--submit", "--metrics-file", file, input: Data("a\nb\n".utf8))
        #expect(ran.status == 0, "\(ran)")
        let metrics = try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8))
        #expect(metrics.sum("saved_records_total") == 2 && metrics.sum("delivered_records_total") == 2)
        #expect(metrics.sum("stored_records") == 0)
    }

    @Test func `follow and agent write the file, with what they saved and sent`() async throws {
        let service = try AcceptingService()
        let tool = try Tool(to: service.url)
        let (file, log, agent) = (
            tool.home.path("recorder.prom"), tool.home.path("app.log"), tool.home.path("agent.json")
        )
        try Data("a\nb\n".utf8).write(to: URL(fileURLWithPath: log))
        let flow =
            #"{"flows":[{"filePattern":"\#(log)","kinesisStream":"agent","initialPosition":"START_OF_FILE","maxBufferAgeMillis":1000}]}"#
        try Data(flow.utf8).write(to: URL(fileURLWithPath: agent))
        let commands = [["follow", "app", log, "--submit"], ["agent", "-c", agent, "--rate", "1M", "--key", "agent"]]
        for (number, words) in commands.enumerated() {
            let running = try tool.start(words + ["--metrics-file", file, "--log-format", "json", "-v"])
            await service.received(number + 1)
            _ = running.signal(SIGTERM)
            let ran = await running.end()
            #expect(ran.status == 0 && ran.err.split(separator: "\n").allSatisfy { $0.hasPrefix("{") }, "\(ran)")
            let metrics = try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8))
            #expect(metrics.sum("saved_records_total") == 2 && metrics.sum("delivered_records_total") == 2, "\(ran)")
        }
    }

    @Test func `a file that cannot be written is an error before anything is sent`() async throws {
        let service = try AcceptingService()
        let tool = try Tool(to: service.url)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        for path in [tool.home.path("missing/recorder.prom"), tool.home.path] {
            let ran = try await tool.run("submit", "--metrics-file", path)
            #expect(ran.status == 64 && ran.err.contains("--metrics-file \(path)"), "\(ran)")
        }
        #expect(service.payloads.isEmpty)
    }

    @Test func `a file that cannot be written any more is reported once, and the submit goes on`() async throws {
        let service = try AcceptingService()
        let tool = try Tool(to: service.url)
        let directory = tool.home.path("metrics")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let running = try tool.start(["submit", "--watch", "1", "--metrics-file", "\(directory)/a.prom"])
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        await service.received(1)
        try FileManager.default.moveItem(atPath: directory, toPath: tool.home.path("aside"))
        for count in 2...3 {
            _ = try await tool.run("save", "app", input: Data("b\n".utf8))
            await service.received(count)
        }
        _ = running.signal(SIGTERM)
        let ran = await running.end()
        #expect(ran.status == 0 && service.payloads.count == 3)
        #expect(
            ran.err.split(separator: "\n").count == 1 && ran.err.contains("--metrics-file \(directory)/a.prom"),
            "\(ran)"
        )
    }
}

/// A Kinesis that fails in every way that keeps or rejects records: two whole requests, some records of others.
private final class FailingService: Sendable {
    let server: LocalServer
    private let counts: Counts

    var throttled: Int { counts.values.withLock { $0.throttled } }
    var failed: Int { counts.values.withLock { $0.failed } }

    private final class Counts: Sendable {
        let values = Locked((throttled: 0, failed: 0))
    }

    init() throws {
        let counts = Counts()
        self.counts = counts
        server = try LocalServer { request, index in
            if index == 0 { return .error(500, "InternalFailure") }
            if index == 2 { return .error(400, "ProvisionedThroughputExceededException") }
            var entries: [String] = []
            for record in PutRequestBody(request.body).records {
                let text = String(decoding: record.data, as: UTF8.self)
                if index == 1, text.hasSuffix("3") {
                    counts.values.withLock { $0.throttled += 1 }
                    entries.append(#"{"ErrorCode":"ProvisionedThroughputExceededException","ErrorMessage":"slow"}"#)
                } else if index == 1, text.hasSuffix("7") {
                    counts.values.withLock { $0.failed += 1 }
                    entries.append(#"{"ErrorCode":"InternalFailure","ErrorMessage":"no"}"#)
                } else if text == "5" {
                    entries.append(#"{"ErrorCode":"InvalidArgumentException","ErrorMessage":"bad"}"#)
                } else {
                    entries.append(#"{"SequenceNumber":"1","ShardId":"s"}"#)
                }
            }
            return .json(200, #"{"FailedRecordCount":1,"Records":[\#(entries.joined(separator: ","))]}"#)
        }
    }
}

extension Tool {
    private struct Report: Decodable {
        let records: Int
        let bytes: Int
        let saved: Int
        let delivered: Int
        let entries: Int
        let retried: Int
        let cleared: Int
        let evicted: Int
        let expired: Int
        let rejected: Int
        let exhausted: Int
    }

    /// The counts of `status --json`, by the names of their metrics.
    fileprivate func counts() async throws -> [String: Int] {
        let reports = try JSONDecoder().decode([Report].self, from: Data(try await run("status", "--json").out.utf8))
        func sum(_ value: (Report) -> Int) -> Int { reports.map(value).reduce(0, +) }
        return [
            "stored_records": sum(\.records), "stored_bytes": sum(\.bytes), "saved_records_total": sum(\.saved),
            "delivered_records_total": sum(\.delivered), "delivered_entries_total": sum(\.entries),
            "retried_records_total": sum(\.retried), "cleared_records_total": sum(\.cleared),
            "discarded_records_total": sum { $0.evicted + $0.expired + $0.rejected + $0.exhausted },
        ]
    }
}
