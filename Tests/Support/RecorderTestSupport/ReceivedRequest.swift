package import RecorderHTTP

/// One request as it arrived at the local server.
package struct ReceivedRequest: Sendable {
    /// The method of the request line.
    package let method: String

    /// The path of the request line, as it was written.
    package let path: String

    /// The headers, in order.
    package let headers: [HTTPHeader]

    /// The whole body.
    package let body: [UInt8]

    /// Which connection it came over, counted from 0.
    package let connection: Int

    /// The value of the first header with this name, whatever its case.
    package func header(_ name: String) -> String? {
        HTTPResponse(status: 200, headers: headers).header(name)
    }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The operation that `X-Amz-Target` names, such as `PutRecords`.
    package var operation: String? {
        header("X-Amz-Target")?.split(separator: ".").last.map(String.init)
    }
}
