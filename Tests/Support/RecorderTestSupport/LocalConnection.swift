import RecorderHTTP

/// One connection to the local server: requests in, replies out, on one thread.
final class LocalConnection {
    let number: Int
    private let socket: LocalSocket
    private var buffer: [UInt8] = []

    init(socket: LocalSocket, number: Int) {
        self.socket = socket
        self.number = number
    }

    /// The next request; nil once the connection has ended. A client that does not speak HTTP, but TLS, is reset.
    func readRequest(_ uploads: LocalServer.Uploads) -> ReceivedRequest? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let head = buffer.firstRange(of: end) {
                return readRequest(head: String(decoding: buffer[..<head.lowerBound], as: UTF8.self), head, uploads)
            }
            guard socket.read(into: &buffer) else { return nil }
            guard buffer[0] >= UInt8(ascii: "A") else {
                socket.resetOnClose()
                return nil
            }
        }
    }

    /// Carries out a reply; false if the connection has ended.
    func send(_ reply: Reply) -> Bool {
        switch reply {
        case .answer(let status, let headers, let body):
            return socket.write(head(status, headers, length: body.count) + body)
        case .truncated(let status, let body, let count):
            _ = socket.write(head(status, [], length: body.count) + body.prefix(count))
            return false
        case .trickle(let status, let body, let interval):
            guard socket.write(head(status, [], length: body.count)) else { return false }
            return body.allSatisfy { socket.isAlive(after: interval) && socket.write([$0]) }
        case .endless(let status, let written):
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
            guard socket.write(head(status, [], length: nil)) else { return false }
            var left = Reply.endlessBytes
            while left > 0, socket.write(piece) {
                written?.add(piece.count)
                left -= piece.count
            }
            return false
        case .raw(let bytes):
            _ = socket.write(bytes, closesNext: true)
            return false
        case .dropConnection:
            return false
        case .reset:
            socket.resetOnClose()
            return false
        case .stall:
            while socket.read(into: &buffer) {}
            return false
        }
    }

    private func readRequest(head: String, _ end: Range<Int>, _ uploads: LocalServer.Uploads) -> ReceivedRequest? {
        let lines = head.split(separator: "\r\n")
        let start = lines.first?.split(separator: " ") ?? []
        guard start.count == 3 else { return nil }
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return HTTPHeader(String(parts[0]), parts.count < 2 ? "" : String(parts[1].drop { $0 == " " }))
        }
        let length = HTTPResponse(status: 200, headers: headers).header("Content-Length").flatMap(Int.init) ?? 0
        while buffer.count < end.upperBound + length {
            switch uploads {
            case .reset(let limit) where buffer.count - end.upperBound >= limit:
                socket.resetOnClose()
                return nil
            case .slow(let pause): _ = socket.isAlive(after: pause)
            case .read, .reset: break
            }
            guard socket.read(into: &buffer) else { return nil }
        }
        let body = Array(buffer[end.upperBound..<end.upperBound + length])
        buffer.removeFirst(end.upperBound + length)
        return ReceivedRequest(
            method: String(start[0]),
            path: String(start[1]),
            headers: headers,
            body: body,
            connection: number
        )
    }

    private func head(_ status: Int, _ headers: [HTTPHeader], length: Int?) -> [UInt8] {
        var text = "HTTP/1.1 \(status) Scripted\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        text += length.map { "Content-Length: \($0)\r\n\r\n" } ?? "Connection: close\r\n\r\n"
        return Array(text.utf8)
    }
}
