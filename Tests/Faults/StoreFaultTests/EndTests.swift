import Foundation
import Glibc
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Processes that end while they save and submit.
    @Suite struct Ends {
        /// With the status that each process chooses; `abort` runs no handlers.
        private static let ways: [(way: String, end: Child.End)] = [
            ("exit", .exit(7)), ("return", .exit(0)), ("abort", .signal(SIGABRT)),
        ]

        /// This build's program, and one that was built for release, as `make stress` does.
        private static let programs =
            [Child.path] + [ProcessInfo.processInfo.environment["RELEASE_CHILD"]].compactMap(\.self)

        /// Runs children that end after up to 30 ms, in each way in turn; returns how those ended that did not end as they chose,
        /// or that wrote of a trap.
        private func run(
            _ program: String,
            _ runs: Int,
            to url: String,
            trusting authority: String,
            option: String = ""
        ) async throws -> [String] {
            var random = SeededRandom(seed + 87)
            var wrong: [String] = []
            for number in 0..<runs {
                let directory = try TemporaryDirectory()
                let (way, end) = Self.ways[number % 3]
                // What a sanitizer reports of a control is no finding.
                let unset = option.isEmpty ? [] : ["-u", "TSAN_OPTIONS", "-u", "ASAN_OPTIONS"]
                let quiet = [
                    "SWIFT_BACKTRACE=enable=no", "AWS_CA_BUNDLE=\(authority)", "OUT=\(directory.path("err"))",
                ]
                let child = try Child(
                    under: ["env"] + unset + quiet + ["sh", "-c", #"exec "$@" 2>"$OUT""#, "sh"],
                    program: program,
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

        @Test(arguments: programs)
        func `recorders work to the end of their process, which has the status that it chose, plain and with TLS`(
            program: String
        ) async throws {
            let server = try LocalServer(keepsRequests: false) { request, _ in Self.answer(request) }
            let authority = try TLSAuthority()
            let front = try await MutualTLSFront(before: server, authority, requiringCertificates: false)
            let name = program == Child.path ? "this build" : "release"
            for (url, authority) in [(server.url, ""), ("https://\(front.host)", authority.certificate)] {
                let scheme = url.prefix { $0 != ":" }
                let runs = count(12, full: 400)
                let wrong = try await run(program, runs, to: url, trusting: authority)
                report("R87 \(name), \(scheme):", ["runs": runs, "other ends": wrong.count])
                #expect(wrong == [])
                // The control: OpenSSL is freed before the process's own work at its end.
                let controls = count(6, full: 60)
                let failed = try await run(program, controls, to: url, trusting: authority, option: "openssl-first")
                report("R87 \(name), \(scheme), control:", ["runs": controls, "other ends": failed.count])
                #expect(!failed.isEmpty)
            }
        }

        private static func answer(_ request: ReceivedRequest) -> Reply {
            let entries = PutRequestBody(request.body).records.map { _ in #"{"SequenceNumber":"4","ShardId":"s"}"# }
            return .json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
        }
    }
}
