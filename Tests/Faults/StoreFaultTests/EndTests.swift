import Foundation
import Glibc
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Processes that end while they save and submit.
    @Suite struct Ends {
        private static let ways: [(way: String, end: Child.End)] = [
            ("exit", .exit(7)), ("return", .exit(0)), ("abort", .signal(SIGABRT)),
        ]

        /// Runs children that end after up to 30 ms, in each way in turn; returns how many ended otherwise, or wrote of a trap.
        private func run(_ runs: Int, to url: String, trusting authority: String, option: String = "") async throws
            -> [String]
        {
            var random = SeededRandom(seed + 87)
            var wrong: [String] = []
            for number in 0..<runs {
                let directory = try TemporaryDirectory()
                let (way, end) = Self.ways[number % 3]
                let quiet = [
                    "env", "SWIFT_BACKTRACE=enable=no", "AWS_CA_BUNDLE=\(authority)", "OUT=\(directory.path("err"))",
                ]
                let child = try Child(
                    under: quiet + ["sh", "-c", #"exec "$@" 2>"$OUT""#, "sh"],
                    arguments: [
                        "end", directory.path("store"), url, directory.path("journal"), "e", "4", way,
                        "\(UInt32.random(in: 0...30_000, using: &random))", option,
                    ]
                )
                let found = await child.end()
                let text = try String(contentsOfFile: directory.path("err"), encoding: .utf8)
                if found != end || text.contains("atal error") { wrong.append("\(way): \(found) \(text)") }
            }
            return wrong
        }

        @Test func `a process that ends during saves and submits has the status that it chose, plain and with TLS`()
            async throws
        {
            let runs = count(12, full: 400)
            let server = try LocalServer(keepsRequests: false) { request, _ in Self.answer(request) }
            let plain = try await run(runs, to: server.url, trusting: "")
            let authority = try TLSAuthority()
            let front = try await MutualTLSFront(before: server, authority, requiringCertificates: false)
            let tls = try await run(runs, to: "https://\(front.host)", trusting: authority.certificate)
            report("R87 end:", ["runs": runs, "other ends, plain": plain.count, "TLS": tls.count])
            #expect(plain == [] && tls == [])
            // The control: a process that has OpenSSL freed at its end.
            guard isLongRun else { return }
            let controls = count(12, full: 60)
            let control = try await run(
                controls,
                to: "https://\(front.host)",
                trusting: authority.certificate,
                option: "openssl-first"
            )
            report("R87 control:", ["runs": controls, "other ends": control.count])
            #expect(!control.isEmpty)
        }

        private static func answer(_ request: ReceivedRequest) -> Reply {
            let entries = PutRequestBody(request.body).records.map { _ in #"{"SequenceNumber":"4","ShardId":"s"}"# }
            return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
        }
    }
}
