package import RecorderHTTP
import Synchronization

/// What the local server does with one request, including misbehaviour.
package enum Reply: Sendable {
    /// A whole answer; the connection stays open.
    case answer(status: Int, headers: [HTTPHeader], body: [UInt8])
    /// Announces the whole body's length, but closes the connection after some bytes of it.
    case truncated(status: Int, body: [UInt8], after: Int)
    /// Sends the body byte by byte, with a wait before each.
    case trickle(status: Int, body: [UInt8], every: Duration)
    /// Sends a body of ``endlessBytes``; `written` counts how much of it the peer has read.
    case endless(status: Int, written: ByteCount? = nil)
    /// Sends these bytes unchanged, then closes the connection.
    case raw([UInt8])
    /// Closes the connection without an answer.
    case dropConnection
    /// Resets the connection.
    case reset
    /// Does nothing until the client disconnects or the server stops.
    case stall

    /// Many times what a client should read of an answer. The body ends there without an error, so that a client
    /// without a limit fails an expectation instead of using up all memory.
    package static let endlessBytes = 64 << 20

    /// An answer in the format of the AWS services.
    package static func json(_ status: Int, _ body: String, headers: [HTTPHeader] = []) -> Reply {
        text(status, body, type: "application/x-amz-json-1.1", headers: headers)
    }

    /// An error in the format of the AWS services, with a request ID.
    package static func error(_ status: Int, _ code: String, message: String = "injected failure") -> Reply {
        let id = HTTPHeader("x-amzn-RequestId", "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0")
        return json(status, #"{"__type":"\#(code)","message":"\#(message)"}"#, headers: [id])
    }

    /// An HTML page, as proxies and captive portals send it.
    package static func html(_ status: Int, _ body: String) -> Reply {
        text(status, body, type: "text/html", headers: [])
    }

    private static func text(_ status: Int, _ body: String, type: String, headers: [HTTPHeader]) -> Reply {
        .answer(status: status, headers: [HTTPHeader("Content-Type", type)] + headers, body: Array(body.utf8))
    }
}

/// The number of bytes that the server has sent.
package final class ByteCount: Sendable {
    private let bytes = Atomic(0)

    /// Starts at 0.
    package init() {}

    /// The bytes so far.
    package var value: Int { bytes.load(ordering: .relaxed) }

    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}
