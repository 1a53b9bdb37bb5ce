import Foundation
import RecorderHTTP
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// Keys, tokens and records appear only in requests and the store.
    @Suite struct Secrets {
        @Test func `no key, token or record appears in any output, whatever fails`() async throws {
            let directory = try TemporaryDirectory()
            let (path, journal, output) = (directory.path("store"), directory.path("journal"), directory.path("output"))
            let answers: [Reply] = [
                .error(400, "ExpiredTokenException"), .error(403, "AccessDeniedException"), .html(200, "<p>Welcome"),
                .error(400, "ValidationException"), .error(500, "InternalFailure"), .reset,
                .json(200, #"{"Records":[{"ErrorCode":"InvalidArgumentException"}]}"#), .json(200, "{}"),
                .answer(status: 307, headers: [], body: []),
            ]
            let server = try LocalServer { _, index in answers[index % answers.count] }
            let redirected = ["sh", "-c", #"exec "$@" >'\#(output)' 2>&1"#, "sh"]
            for number in 0..<answers.count {
                let child = try Child(under: redirected, "cycle", path, server.url, journal, "CANARY-RECORD-\(number)")
                #expect(await child.end() == .exit(0))
                let reading = JournalReading(journal)
                let text =
                    (reading.failures + reading.notes).joined() + (try String(contentsOfFile: output, encoding: .utf8))
                #expect(!text.lowercased().contains("canary"), "\(text.prefix(2_000))")
                #expect(!text.contains("Q0FOQVJZ"), "in base64: \(text.prefix(2_000))")
            }
            let sent = server.requests.flatMap(\.headers)
            // The canary values were in use.
            #expect(
                sent.contains { $0.value == Canary.token } && sent.contains { $0.value.contains(Canary.accessKey) }
            )
            #expect(!JournalReading(journal).notes.isEmpty)
            for file in try FileManager.default.contentsOfDirectory(atPath: path) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(file)"))
                for secret in [Canary.secret, Canary.token, Canary.accessKey] {
                    #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file)")
                }
            }
            report("S6 canaries:", ["requests": server.requests.count, "hits": 0])
        }

        @Test(arguments: [2_000])
        func `after everything is delivered, no byte of a record is left in the store's files`(records: Int)
            async throws
        {
            let directory = try TemporaryDirectory()
            let server = try RecordingServer()
            let store = try PipelineHarness(in: directory.path("store"), to: server.url)
            for number in 0..<records { try await store.save("CANARY \(number)") }
            _ = try await store.flush()
            #expect(server.texts.count == records)
            var found = 0
            for file in try FileManager.default.contentsOfDirectory(atPath: directory.path("store")) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.path("store/\(file)")))
                if bytes.range(of: Data("CANARY".utf8)) != nil { found += 1 }
            }
            report("S15 after a drain:", ["records": records, "files with payload": found])
            #expect(found == 0)
        }

        @Test func `a program exits at once with a request in flight`() async throws {
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            let server = try LocalServer { _, _ in .stall }
            let child = try Child("leave", path, server.url, journal, "leaver")
            await server.received(1)
            let start = ContinuousClock.now
            // The child waits for this file.
            try Data().write(to: URL(fileURLWithPath: "\(journal).leave"))
            #expect(await child.end() == .exit(3))
            let took = ContinuousClock.now - start
            report("S18 exit with a request in flight:", ["took": took])
            #expect(took < promptLimit)
            let nextServer = try RecordingServer()
            _ = try await PipelineHarness(in: path, to: nextServer.url).flush()
            #expect(nextServer.texts == ["leaver": 1])
        }
    }
}
