import Foundation
import RecorderEngine

/// `status`: what is stored, stream by stream.
struct StatusCommand: Sendable {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    func run() throws(CommandFailure) -> ExitStatus {
        var reports: [StoreReport] = []
        for (service, location) in try stores() {
            let status = try CommandFailure.naming { () throws(RecorderError) in
                try RecordStore(at: { location }).status()
            }
            reports.append(StoreReport(service, location.path, status, now: Date()))
        }
        if session.invocation.has(.json) {
            session.console.print(json: try JSONText.text(of: reports))
        } else if reports.isEmpty {
            session.console.print("nothing is stored; `\(CommandTable.program) list` shows other programs' stores.")
        } else {
            session.console.print(reports.map(\.text).joined(separator: "\n\n"))
        }
        return .success
    }

    /// The program's recorders of this command's services and key, and its Amplify clients, whose key is their region.
    private func stores() throws(CommandFailure) -> [(service: String, location: StoreLocation)] {
        var found = try session.existingStores().map { ($0.service.name, $0.location) }
        for service in session.services {
            let files = StoreFile.all(in: try session.location(of: service).directory)
            let key = session.invocation.value(.key)
            for file in files where file.service == "amplify-\(service.name)" && (key == nil || key == file.key) {
                found.append((file.service, file.location))
            }
        }
        return found
    }
}

/// One store's status in the words and units of the command line; encoded, it is what --json prints.
struct StoreReport: Encodable {
    struct Stream: Encodable {
        let name: String
        let records: Int
        let bytes: Int
        let oldestAgeSeconds: Int?
        let lastError: String?
        let lastErrorAgeSeconds: Int?
    }

    let service: String
    let path: String
    let records: Int
    let bytes: Int
    let saved: Int
    let delivered: Int
    let retried: Int
    let evicted: Int
    let expired: Int
    let rejected: Int
    let exhausted: Int
    let cleared: Int
    /// 0 for no limit; absent where nothing was saved yet.
    let byteLimit: Int?
    let ageLimitSeconds: Int?
    let streams: [Stream]

    init(_ service: String, _ path: String, _ status: StoreStatus, now: Date) {
        self.service = service
        self.path = path
        let totals = status.totals
        records = totals.records
        bytes = totals.bytes
        saved = totals.saved
        delivered = totals.delivered
        retried = totals.retried
        evicted = totals.evicted
        expired = totals.expired
        rejected = totals.rejected
        exhausted = totals.exhausted
        cleared = totals.cleared
        byteLimit = status.limits?.bytes
        ageLimitSeconds = (status.limits?.age.components.seconds).map { Int($0) }
        streams = status.streams.map { Stream($0, now: now) }
    }
}

extension StoreReport.Stream {
    fileprivate init(_ stream: StreamStatus, now: Date) {
        func age(_ date: Date) -> Int { max(Formatting.whole(now.timeIntervalSince(date)), 0) }
        self.init(
            name: stream.name.rawValue,
            records: stream.records,
            bytes: stream.bytes,
            oldestAgeSeconds: stream.oldest.map(age),
            lastError: stream.lastError?.message,
            lastErrorAgeSeconds: (stream.lastError?.date).map(age)
        )
    }
}

extension StoreReport {
    /// The table, the limits and the troubles.
    fileprivate var text: String {
        let rows = streams.map { stream in
            [
                stream.name, Formatting.count(stream.records), Formatting.bytes(stream.bytes),
                stream.oldestAgeSeconds.map { Formatting.age(.seconds($0)) } ?? "-",
            ]
        }
        let head = ["STREAM", "RECORDS", "BYTES", "OLDEST"]
        let troubles = streams.compactMap { stream in
            stream.lastError.map { error in
                "\(stream.name), \(Formatting.age(.seconds(stream.lastErrorAgeSeconds ?? 0))) ago: \(Visible.line(error))"
            }
        }
        return (["\(service): \(Visible.line(path))", TextTable.text([head] + rows), limits, counters] + troubles)
            .joined(
                separator: "\n"
            )
    }

    private var counters: String {
        let discarded = [evicted, expired, rejected, exhausted].reduce(0) { Formatting.sum($0, $1) }
        return "ever saved \(Formatting.count(saved)), delivered \(Formatting.count(delivered)), "
            + "discarded \(Formatting.count(discarded)), cleared \(Formatting.count(cleared))"
    }

    private var limits: String {
        var parts = ["\(Formatting.records(records)), \(Formatting.bytes(bytes))"]
        if let byteLimit {
            parts[0] += byteLimit > 0 ? " of \(Formatting.bytes(byteLimit))" : "; no limit in bytes"
            let age = ageLimitSeconds ?? 0
            parts.append(age > 0 ? "records older than \(Formatting.age(.seconds(age))) go" : "no limit in age")
        }
        return parts.joined(separator: "; ")
    }
}
