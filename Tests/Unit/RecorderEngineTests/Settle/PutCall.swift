import RecorderConcurrency
import RecorderHTTP
import RecorderStore
import RecorderTestSupport

/// One request as a row's script receives it, and the ways to answer it.
struct PutCall {
    let service: StreamServiceDescription
    /// The number of this request among those for its stream, from 0.
    let index: Int
    let texts: [String]

    /// The entry that proves delivery.
    var proof: String { #"{"\#(service.proofField)":"49\#(index)"}"# }

    /// The entry of a record that was not accepted.
    static func failed(_ code: String) -> String { #"{"ErrorCode":"\#(code)","ErrorMessage":"injected failure"}"# }

    /// A 200 with these entries, and failure counters that are always 0.
    func answer(_ entries: [String]) -> Reply { .json(200, body(entries)) }

    /// A 200 that accepts every record, except those for which `entry` returns another entry.
    func accepts(but entry: (String) -> String? = { _ in nil }) -> Reply {
        answer(texts.map { entry($0) ?? proof })
    }

    /// A 200 that accepts every record and closes the connection. libcurl itself repeats a request that it sent over a
    /// kept connection that turns out to be dead, so counting requests needs new connections.
    func acceptsAndCloses() -> Reply {
        .json(200, body(texts.map { _ in proof }), headers: [HTTPHeader("Connection", "close")])
    }

    func body(_ entries: [String]) -> String {
        #"{"FailedRecordCount":0,"FailedPutCount":0,"\#(service.entriesField)":[\#(entries.joined(separator: ","))]}"#
    }
}

/// A thread-safe list of values, in order.
final class Recorded<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    /// Adds one and returns how many there were before.
    @discardableResult
    func append(_ element: Element) -> Int {
        elements.withLock { elements in
            elements.append(element)
            return elements.count - 1
        }
    }
}
