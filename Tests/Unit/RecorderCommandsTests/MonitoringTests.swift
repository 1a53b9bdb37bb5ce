import Foundation
import RecorderCommands
import RecorderSQLite
import RecorderTestSupport
import Testing

/// The metrics of several processes, and the alerts on them, as Prometheus and its node exporter take them.
@Suite(.timeLimit(.minutes(5))) struct MonitoringTests {
    private static let packaging =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../../Packaging"

    private static func isInstalled(_ program: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
    }

    // MARK: series

    @Test func `each series of a metrics file names its store`() async throws {
        let service = try AcceptingService()
        let tool = try Tool(to: service.url)
        let file = tool.home.path("a.prom")
        _ = try await tool.run("save", "app", "--submit", "--metrics-file", file, input: Data("a\n".utf8))
        let metrics = try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8))
        let store = tool.home.path(".local/state/kinesis-recorder/com.amazonaws.AWSKinesisRecorder/kinesis.db")
        #expect(metrics.values.count > 20)
        for series in metrics.values.keys { #expect(series.contains(#"store="\#(store)""#), "\(series)") }
    }

    @Test func `two commands have no series in common, whether a store exists or not`() async throws {
        let service = try AcceptingService()
        let tool = try Tool(to: service.url)
        var series: [Set<String>] = []
        for name in ["a", "b"] {
            let (file, store) = (tool.home.path("\(name).prom"), tool.home.path(name))
            let options = ["--metrics-file", file, "-d", store]
            _ = try await tool.start(["submit"] + options).end()
            series.append(Set(try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8)).values.keys))
            let ran = try tool.start(["save", "app", "--submit"] + options)
            ran.write(Data("a\n".utf8))
            #expect(await ran.end().status == 0)
            series.append(Set(try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8)).values.keys))
        }
        #expect(series.allSatisfy { !$0.isEmpty })
        #expect(series[0].union(series[1]).isDisjoint(with: series[2].union(series[3])))
    }

    @Test(
        arguments: [
            ("0::/system.slice/kinesis-recorder-agent.service\n", "kinesis-recorder-agent.service"),
            (
                #"0::/system.slice/system-kinesis\x2drecorder.slice/kinesis-recorder-submit@a.service/sub"#,
                "kinesis-recorder-submit@a.service"
            ),
            ("4:memory:/x.service\n1:name=systemd:/system.slice/y.service\n", "y.service"),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/z.service\n", "z.service"),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/shell.scope\n", nil),
            ("0::/\n", nil), ("", nil),
        ] as [(String, String?)]
    )
    func `the unit is the one whose control group the process is in`(text: String, unit: String?) {
        #expect(ServiceManager.unit(inControlGroups: text) == unit)
    }

    @Test func `a store that cannot be read is 0 in store_readable, and 1 when it can be`() async throws {
        let service = try AcceptingService()
        let tool = try Tool(to: service.url)
        let (file, store) = (tool.home.path("a.prom"), tool.home.path("store"))
        _ = try await tool.run("save", "app", "-d", store, input: Data("a\n".utf8))
        let database = "\(store)/kinesis.db"
        try SQLiteConnection.emptyLog(of: database)
        try FileManager.default.moveItem(atPath: database, toPath: tool.home.path("aside"))
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: false)
        let options = ["submit", "-d", store, "--metrics-file", file]
        #expect(await (try tool.start(options)).end().status == 74)
        var metrics = try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8))
        #expect(metrics.sum("store_readable") == 0 && metrics.sum("saved_records_total") == -1)
        try FileManager.default.removeItem(atPath: database)
        try FileManager.default.moveItem(atPath: tool.home.path("aside"), toPath: database)
        #expect(await (try tool.start(options)).end().status == 0)
        metrics = try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8))
        #expect(metrics.sum("store_readable") == 1 && metrics.sum("delivered_records_total") == 1)
    }

    @Test(arguments: [["save", "app"], ["follow", "app", "a.log"]])
    func `a command that cannot use its store says so in the metrics that an earlier one left`(words: [String])
        async throws
    {
        let tool = try Tool()
        let (file, store) = (tool.home.path("a.prom"), tool.home.path("store"))
        let options = ["-d", store, "--metrics-file", file]
        #expect(await (try tool.start(["save", "app"] + options)).end().status == 0)
        #expect(try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8)).sum("store_readable") == 1)
        for name in try FileManager.default.contentsOfDirectory(atPath: store) {
            try FileManager.default.removeItem(atPath: "\(store)/\(name)")
        }
        try FileManager.default.createDirectory(atPath: "\(store)/kinesis.db", withIntermediateDirectories: false)
        #expect(await (try tool.start(words + options)).end().status == 74)
        #expect(try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8)).sum("store_readable") == 0)
    }

    @Test func `a command that does not send has no metrics of sending`() async throws {
        let tool = try Tool()
        let file = tool.home.path("a.prom")
        _ = try await tool.run("save", "app", "--metrics-file", file, input: Data("a\n".utf8))
        let metrics = try PrometheusReader(try String(contentsOfFile: file, encoding: .utf8))
        #expect(metrics.sum("saved_records_total") == 1 && metrics.sum("last_success_timestamp_seconds") == -1)
    }

    // MARK: with Prometheus's programs

    @Test(.enabled(if: isInstalled("promtool"), "promtool is missing: Debian's package prometheus"))
    func `each alert fires when it should, and is silent otherwise`() async throws {
        let rules = "\(Self.packaging)/kinesis-recorder.rules"
        let checked = try await BuiltProgram.run("/usr/bin/promtool", ["check", "rules", "\(rules).yml"])
        #expect(checked.status == 0, "\(checked)")
        let tested = try await BuiltProgram.run("/usr/bin/promtool", ["test", "rules", "\(rules).test.yml"])
        #expect(tested.status == 0, "\(tested)")
    }

    @Test(
        .enabled(if: isInstalled("prometheus-node-exporter"), "prometheus-node-exporter is missing: Debian's package")
    )
    func `the node exporter takes each series of two units, without an error`() async throws {
        let service = try AcceptingService()
        let tool = try Tool(to: service.url)
        var wanted: Set<String> = []
        for unit in ["agent", "submit-a"] {
            let directory = tool.home.path("kinesis-recorder-\(unit)")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let options = ["--metrics-file", "\(directory)/metrics.prom", "-d", tool.home.path(unit)]
            let running = try tool.start(["save", "app", "--submit"] + options)
            running.write(Data("a\n".utf8))
            #expect(await running.end().status == 0)
            let text = try String(contentsOfFile: "\(directory)/metrics.prom", encoding: .utf8)
            wanted.formUnion(try PrometheusReader(text).values.keys)
        }
        let exported = try await NodeExporter.scrape(tool.home.path("kinesis-recorder-*"), in: tool.home)
        // It escapes and orders labels in its own way, and adds those that other samples of the name have.
        let found = exported.text.split(separator: "\n").filter { $0.hasPrefix("kinesis_recorder_") }
        #expect(found.count == wanted.count && !wanted.isEmpty, "\(exported)")
        #expect(exported.text.contains("node_textfile_scrape_error 0"), "\(exported)")
        #expect(!exported.log.contains("level=error"), "\(exported)")
    }
}

/// Prometheus's node exporter, with the textfile collector alone.
private enum NodeExporter {
    /// Starts it, reads its metrics once, and ends it.
    static func scrape(_ directory: String, in home: TemporaryDirectory) async throws -> (text: String, log: String) {
        let log = home.path("exporter.log")
        try Data().write(to: URL(fileURLWithPath: log))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/prometheus-node-exporter")
        process.arguments = [
            "--web.listen-address=127.0.0.1:0", "--collector.disable-defaults", "--collector.textfile",
            "--collector.textfile.directory=\(directory)",
        ]
        process.standardError = FileHandle(forWritingAtPath: log)
        let end = try ProcessEnd(starting: process)
        func logged() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
        let deadline = ContinuousClock.now + .seconds(60)
        while !logged().contains("TLS is disabled"), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        let port = logged().firstMatch(of: /"Listening on" address=127\.0\.0\.1:(\d+)/).map { String($0.1) } ?? "0"
        let script = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=60).read().decode())"
        let url = "http://127.0.0.1:\(port)/metrics"
        let ran = try await BuiltProgram.run("/usr/bin/python3", ["-c", script, url], environment: ["no_proxy": "*"])
        process.terminate()
        await end.finished()
        return (ran.out, logged())
    }
}
