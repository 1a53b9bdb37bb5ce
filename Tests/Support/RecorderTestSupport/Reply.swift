package import RecorderHTTP
import Synchronization

/// What the local server does with one request, misdeeds included.
package enum Reply: Sendable {
    /// A whole answer; the connection stays open.
    case answer(status: Int, headers: [HTTPHeader], body: [UInt8])
    /// The promised length is the whole body's, but the connection closes after so many bytes of it.
    case truncated(status: Int, body: [UInt8], after: Int)
    /// The body comes byte by byte, with a wait before each.
    case trickle(status: Int, body: [UInt8], every: Duration)
    /// The body goes on for ``endlessBytes``; the count tells how much of it the peer let through.
    case endless(status: Int, written: ByteCount? = nil)
    /// These bytes as they are, then the connection closes.
    case raw([UInt8])
    /// The connection closes without a word.
    case dropConnection
    /// The connection is reset.
    case reset
    /// Nothing happens until the client goes away or the server stops.
    case stall

    /// Many times what anybody should read of an answer. There it ends as if nothing were wrong, so that whoever reads it
    /// without a limit fails an expectation rather than takes all memory.
    package static let endlessBytes = 64 << 20

    /// An answer as the AWS services give it.
    package static func json(_ status: Int, _ body: String, headers: [HTTPHeader] = []) -> Reply {
        text(status, body, type: "application/x-amz-json-1.1", headers: headers)
    }

    /// An error as the AWS services give it: a document of their own, and the request's id.
    package static func error(_ status: Int, _ code: String, message: String = "told to fail") -> Reply {
        let id = HTTPHeader("x-amzn-RequestId", "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0")
        return json(status, #"{"__type":"\#(code)","message":"\#(message)"}"#, headers: [id])
    }

    /// A page, as proxies and captive portals give it.
    package static func html(_ status: Int, _ body: String) -> Reply {
        text(status, body, type: "text/html", headers: [])
    }

    private static func text(_ status: Int, _ body: String, type: String, headers: [HTTPHeader]) -> Reply {
        .answer(status: status, headers: [HTTPHeader("Content-Type", type)] + headers, body: Array(body.utf8))
    }
}

/// How many bytes went out, counted by the server.
package final class ByteCount: Sendable {
    private let bytes = Atomic(0)

    /// Nothing yet.
    package init() {}

    /// The bytes so far.
    package var value: Int { bytes.load(ordering: .relaxed) }

    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}
