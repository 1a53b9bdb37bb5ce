import RecorderConcurrency
import RecorderEngine
import RecorderHTTP
import RecorderTestSupport

/// One request as a row's script sees it, and the ways to answer it.
struct PutCall {
    let service: StreamServiceDescription
    /// Which request for this stream it is, from 0.
    let index: Int
    let texts: [String]

    /// The entry that proves delivery.
    var proof: String { #"{"\#(service.proofField)":"49\#(index)"}"# }

    /// The entry of a record that was not taken.
    static func failed(_ code: String) -> String { #"{"ErrorCode":"\#(code)","ErrorMessage":"told to fail"}"# }

    /// A 200 with these entries, and a counter that is always wrong.
    func answer(_ entries: [String]) -> Reply { .json(200, body(entries)) }

    /// A 200 that takes every record but those that `entry` writes another entry for.
    func takes(but entry: (String) -> String? = { _ in nil }) -> Reply {
        answer(texts.map { entry($0) ?? proof })
    }

    /// A 200 that takes every record, over a connection that is not used again. libcurl repeats by itself what it sent
    /// over a kept connection that turns out dead, so a count of requests needs new ones.
    func takesAndHangsUp() -> Reply {
        .json(200, body(texts.map { _ in proof }), headers: [HTTPHeader("Connection", "close")])
    }

    func body(_ entries: [String]) -> String {
        #"{"FailedRecordCount":0,"FailedPutCount":0,"\#(service.entriesField)":[\#(entries.joined(separator: ","))]}"#
    }
}

/// What happened, in order.
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
