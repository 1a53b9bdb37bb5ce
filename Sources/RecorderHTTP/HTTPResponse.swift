/// One whole answer, of whatever status.
package struct HTTPResponse: Sendable {
    /// The status code, 200 to 599.
    package var status: Int

    /// The headers in the order they came, of the final answer only.
    package var headers: [HTTPHeader]

    /// The body.
    package var body: [UInt8]

    /// An answer.
    package init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header with this name, whatever its case; nil if there is none.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    package var description: String {
        "HTTP \(status), \(headers.count) headers, \(body.count) bytes"
    }

    package var customMirror: Mirror {
        Mirror(self, children: ["summary": description])
    }
}
