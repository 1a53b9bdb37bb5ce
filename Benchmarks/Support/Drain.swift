import RecorderTestSupport

/// Sends backlogs over TLS to a service that accepts every record, with programs that are measured from their start to their end.
struct Drain {
    private let sink: Sink
    private let tool: Tool
    private let floor: String
    private let peers: ScratchDirectory

    /// `latency` is the time from a request's last byte to its answer, in milliseconds.
    init(latency: Int = 0) throws {
        sink = try Sink(latency: latency)
        tool = try Tool()
        peers = try ScratchDirectory()
        floor = try Program.compile("floor.c", in: peers, "-lcurl", "-lcrypto")
    }

    /// Stores a backlog and sends it with `kinesis-recorder submit`, on a disk that takes 20 ms a sync if `hasSlowDisk`.
    func ofOurs(
        _ count: Int,
        bytes: Int,
        keys: [String] = [],
        hasSlowDisk: Bool = false,
        _ options: String...
    ) throws -> Cost {
        let directory = try ScratchDirectory()
        try PipelineHarness(in: directory.path).saveTogether(count, of: Payload.data(bytes), keys: keys)
        let library =
            hasSlowDisk ? try Program.compile("slow_syncs.c", in: peers, "-shared", "-fPIC") : nil
        let cost = try tool.submit(count, of: directory, to: sink, options: options, preloading: library)
        let left = try PipelineHarness(in: directory.path).records()
        guard left == 0 else { fatalError("kinesis-recorder left \(left) of \(count) records.") }
        return cost
    }

    /// Sends the same requests with a C program that stores nothing: the least that a delivery takes.
    func ofFloor(_ count: Int, bytes: Int) throws -> Cost {
        try tool.measure([floor, sink.url, sink.certificate, "\(count)", "\(bytes)"], of: count)
    }

    /// Stores a backlog and sends it with a Python program; returns the records a second, from its second request on.
    func rateOfBoto3(_ count: Int, bytes: Int) throws -> Double {
        let directory = try ScratchDirectory()
        let text = try Program.run(
            Program.python,
            "\(Program.package)/Benchmarks/Peers/boto3_drain.py",
            directory.path("peer.db"),
            sink.url,
            sink.certificate,
            "\(count)",
            "\(bytes)"
        )
        guard let rate = Double(text.prefix { !$0.isWhitespace }) else { fatalError("boto3 printed no rate: \(text)") }
        return rate
    }
}
