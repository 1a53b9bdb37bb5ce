import FoundationEssentials

/// `status`: what is stored, stream by stream.
struct StatusCommand: Command {
    static let spec = CommandSpec(
        name: "status",
        summary: "show what is stored, stream by stream",
        options: [.onlyKinesis, .onlyFirehose, .stream, .json, .prometheus] + OptionSpec.store,
        details: """
            The size of a record is its payload, its partition key and 64 bytes. The limits and the last error come \
            from the last save or submit, by this command or by a program. The caches of the program's Amplify \
            clients are shown as well: --key is their region, and their limit does not count the 64 bytes. The \
            clients send them; this command does not.

            Records that were sent with --aggregate or --pack, or by a program that does the same, share entries of \
            requests: the service counts and bills those.

            --prometheus prints the counts as metrics, for a scrape by a script; the commands \
            that save or send keep a file of them with --metrics-file. The counts are those of all processes since the \
            store was created.

            With --stream, only those streams are listed; the counts below the table are always those of the store.

            --json also says which records are in the store, by the numbers in their keys, for `audit --status`.
            """,
        examples: [
            .init(line: "kinesis-recorder status", meaning: "a table"),
            .init(
                line: "kinesis-recorder status --prometheus > /var/lib/prometheus/node-exporter/recorder.prom",
                meaning: "for Prometheus"
            ),
            .init(line: "kinesis-recorder status --json | jq '.[].streams[].records'", meaning: "for scripts"),
        ]
    )

    let session: Session

    func run() throws(CommandFailure) -> ExitStatus {
        try session.invocation.checkExclusion(of: [.json, .prometheus])
        var reports: [StatusReport] = []
        for (service, location) in try session.storesWithClients() {
            let forTable = !session.invocation.has(.json)
            reports.append(
                try CommandFailure.wrapping(
                    try StatusReport(of: location, service: service, forTable: forTable, selection: session.selection)
                )
            )
        }
        if session.invocation.has(.json) {
            session.console.print(json: try JSONText.text(of: reports))
        } else if session.invocation.has(.prometheus) {
            let build = MetricFamily.build(reports.map { ($0.service, $0.path) })
            session.console.print(MetricFamily.text(of: [build] + StatusReport.metrics(of: reports)))
        } else {
            session.console.print(try text(of: reports))
        }
        return .success
    }

    private func text(of reports: [StatusReport]) throws(CommandFailure) -> String {
        guard !reports.isEmpty else {
            return "\(try session.nothingStored()) `\(Program.name) list` shows the stores of other programs."
        }
        let others = session.invocation.has(.key) ? "" : try session.storesOfOtherKeys()
        return (reports.map(\.text) + (others.isEmpty ? [] : ["also in this directory: \(others)"]))
            .joined(separator: "\n\n")
    }
}

extension OptionSpec {
    fileprivate static let prometheus = OptionSpec("prometheus", help: "print metrics in the text format of Prometheus")
}
