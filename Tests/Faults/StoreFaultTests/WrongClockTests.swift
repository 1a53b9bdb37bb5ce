import Foundation
import RecorderHTTP
import RecorderTestSupport
import StoreChild
import Testing

extension FaultRows {
    /// A process whose clocks, except the monotonic one, are wrong (libfaketime), and a service whose clock is right.
    @Suite(.timeLimit(.minutes(10))) struct WrongClock {
        /// The command prefix that runs a program with its clock off by `offset`, such as `-2h`, or by the current
        /// contents of a file. nil if libfaketime is not installed.
        private func at(_ offset: String? = nil, fileOf path: String? = nil) -> [String]? {
            // Both interpose between the program and the C library.
            guard !isSanitized else {
                print("R24 skipped: libfaketime does not work with a sanitizer.")
                return nil
            }
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
            let libraries = names.map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
            guard let library = libraries.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
                print("R24 skipped: there is no libfaketime.")
                return nil
            }
            let time = path.map { "FAKETIME_TIMESTAMP_FILE=\($0)" } ?? "FAKETIME=\(offset ?? "+0")"
            return ["env", "LD_PRELOAD=\(library)", "FAKETIME_DONT_FAKE_MONOTONIC=1", "NO_FAKE_STAT=1"]
                + ["FAKETIME_NO_CACHE=1", time]
        }

        /// Refuses a signature that is five minutes off, as Kinesis does, with the right time in the answer's Date
        /// header.
        private func timeCheckingServer() throws -> RecordingServer {
            try RecordingServer(refusal: { request in
                let form = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
                let signed = try? Date(request.header("X-Amz-Date") ?? "", strategy: form)
                guard let signed, abs(signed.timeIntervalSinceNow) < 300 else {
                    let error = #"{"__type":"InvalidSignatureException","message":"Signature expired"}"#
                    return .json(400, error, headers: [HTTPHeader("Date", Self.httpDate())])
                }
                return nil
            })
        }

        private static func httpDate() -> String {
            let form = DateFormatter()
            form.locale = Locale(identifier: "en_US_POSIX")
            form.timeZone = TimeZone(secondsFromGMT: 0)
            form.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            return form.string(from: Date())
        }

        @Test(arguments: ["-2h", "+2h", "-20y", "+12y"])
        func `a wrong clock causes one extra request, and loses no record`(offset: String) async throws {
            guard let clock = at(offset) else { return }
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            let server = try timeCheckingServer()
            let child = try Child(under: clock, "aged", path, server.url, journal, "off", "5")
            #expect(await child.end() == .exit(0))
            let reading = JournalReading(journal)
            report("R24 clock off by \(offset):", ["requests": server.requestCount, "arrived": server.texts.count])
            #expect(reading.failures == [] && reading.notes == [])
            #expect(reading.acknowledged.count == 5 && server.texts.count == 5 && server.duplicates == 0)
            #expect(server.requestCount == 2)
        }

        @Test func `a clock that is years off expires no record, whether at the save or at the submit`() async throws {
            guard let ahead = at("+12y") else { return }
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            let server = try timeCheckingServer()
            func run(_ clock: [String], _ command: String, _ name: String) async throws {
                let child = try Child(under: clock, command, path, server.url, journal, name, "3")
                #expect(await child.end() == .exit(0))
            }
            try await run(ahead, "save", "future")
            try await run([], "aged", "now")
            #expect(JournalReading(journal).notes == [])
            #expect(Set(server.texts.keys) == ["future-0", "future-1", "future-2", "now-0", "now-1", "now-2"])
            try await run([], "save", "old")
            try await run(ahead, "aged", "late")
            #expect(JournalReading(journal).notes == [] && JournalReading(journal).failures == [])
            #expect(JournalReading(journal).acknowledged.count == 12)
            #expect(server.texts.count == 12 && server.texts["late-2"] == 1)
        }

        @Test(arguments: ["-2h", "+12y"])
        func `a clock that jumps in a running program causes one extra request, and loses no record`(jump: String)
            async throws
        {
            let directory = try TemporaryDirectory()
            let (path, journal) = (directory.path("store"), directory.path("journal"))
            guard let clock = at(fileOf: directory.path("clock")) else { return }
            func move(_ offset: String) throws {
                try Data("\(offset)\n".utf8).write(to: URL(fileURLWithPath: directory.path("clock")), options: .atomic)
            }
            let server = try timeCheckingServer()
            try move("+0")
            let child = try Child(under: clock, "clock", path, server.url, journal, "jump", "5")
            let saved = await child.stop()
            try #require(saved == .stop, "the child ended before it had saved: \(saved), \(JournalReading(journal))")
            try move(jump)
            child.resume()
            #expect(await child.end() == .exit(0))
            report("R24 clock jumps by \(jump):", ["requests": server.requestCount, "arrived": server.texts.count])
            #expect(JournalReading(journal).failures == [] && JournalReading(journal).notes == [])
            #expect(server.texts.count == 10 && server.duplicates == 0)
            #expect(server.requestCount == 2)
        }
    }
}
