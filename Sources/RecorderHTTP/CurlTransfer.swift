import CRecorderCurl
import Synchronization

/// One transfer: the request that libcurl reads from and the response that it writes to.
final class CurlTransfer: @unchecked Sendable {
    // Safe because only the curl thread uses it once it has been started, except for the cancelled flag.

    typealias Completion = CheckedContinuation<Result<HTTPResponse, HTTPFailure>, Never>

    private let request: HTTPRequest
    private let certificateAuthorities: String?
    private let cancelled = Atomic(false)

    private var handle: CurlHandle?
    private var completion: Completion?
    private var bytesSent = 0
    private var response = HTTPResponse(status: 0)
    private var headerBytes = 0
    private var isTooLarge = false
    private var progress: ProgressWatch

    /// The maximum size of a response's headers.
    private static let maximumHeaderBytes = 256 << 10

    init(_ request: HTTPRequest, certificateAuthorities: String?) {
        self.request = request
        self.certificateAuthorities = certificateAuthorities
        progress = ProgressWatch(request.timeouts, now: .now)
    }

    /// Requests cancellation. Safe to call from any thread.
    func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// Whether cancellation was requested.
    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Creates the handle. From now on this object is responsible for calling the completion.
    ///
    /// The handle holds an unretained reference to this object, so the caller must keep the object while the handle is in use.
    func begin(completion: Completion) throws(HTTPFailure) -> UnsafeMutableRawPointer {
        self.completion = completion
        let handle = try CurlHandle()
        try handle.setURL(request.url)
        try handle.setMethod(request.method, bodyLength: request.body.count)
        try handle.setHeaders(request.headers)
        let timeouts = request.timeouts
        let total = timeouts.total ?? HTTPTimeouts.standardTotal(uploading: request.body.count)
        try handle.setTimeouts(connect: timeouts.connect, total: total)
        if !request.usesEnvironmentProxy {
            try handle.setNoProxy("*")
        } else if let list = NoProxy.list(for: request.url) {
            try handle.setNoProxy(list)
        }
        if let only = request.certificateAuthorities {
            try handle.setCertificateAuthorities(only, insteadOfSystem: true)
        } else if let certificateAuthorities {
            try handle.setCertificateAuthorities(certificateAuthorities)
        }
        if let own = request.clientCertificate { try handle.setClientCertificate(own) }
        try handle.setCallbacks(Self.callbacks, object: Unmanaged.passUnretained(self).toOpaque())
        self.handle = handle
        progress = ProgressWatch(timeouts, now: .now)
        return handle.raw
    }

    /// The fault of a stalled or slow transfer, if there is one, and the time of the next check.
    func checkProgress(now: ContinuousClock.Instant) -> (fault: ProgressWatch.Fault?, deadline: ContinuousClock.Instant)
    {
        let moved = (handle?.bytesMoved ?? 0) + Int64(headerBytes)
        // What libcurl has sent may wait in the socket for minutes, until a slow link has taken it.
        progress.note(moved, waiting: handle?.bytesUnacknowledged ?? 0, now: now)
        return (progress.fault(now: now), progress.deadline)
    }

    /// Completes the transfer with libcurl's result code.
    func finish(_ code: CURLcode) {
        guard code != CURLE_OK, let handle else {
            response.status = handle?.status ?? 0
            return finish(.success(response))
        }
        guard !isTooLarge else {
            let limit = request.maximumResponseBytes
            return fail(
                .responseTooLarge,
                detail: "the response is longer than \(limit) bytes, or its headers are too long."
            )
        }
        let text = handle.explanation(of: code)
        guard !HTTPFailure.quotesProxy(text) else { return fail(.invalidURL, detail: HTTPFailure.unusableProxy) }
        let kind = HTTPFailure.Kind(code, text: text, hasSent: handle.hasSent)
        // libcurl's text quotes the URI, which can contain a PIN. The text about an alert of the server does not.
        if kind == .clientCertificate, request.clientCertificate?.mayContainPIN == true, !text.contains(" alert ") {
            return fail(kind, detail: ClientCertificate.unusableToken)
        }
        fail(kind, detail: "\(HTTPFailure.withoutUserInfo(text)).")
    }

    /// Completes the transfer because it has stalled or is too slow.
    func finish(_ fault: ProgressWatch.Fault) {
        let stall = request.timeouts.stall
        switch fault {
        case .stalled: fail(.timedOut, detail: "no byte moved for \(stall).")
        case .slow(let bytes):
            let limit = request.timeouts.minimumBytesPerSecond
            fail(.timedOut, detail: "only \(bytes) bytes moved within \(stall); the limit is \(limit) bytes a second.")
        }
    }

    /// Completes the transfer as cancelled.
    func finishCancelled() {
        fail(.cancelled, detail: "the request was cancelled.")
    }

    /// Completes the transfer.
    func finish(_ result: Result<HTTPResponse, HTTPFailure>) {
        completion?.resume(returning: result)
        completion = nil
    }

    private func fail(_ kind: HTTPFailure.Kind, detail: String) {
        finish(.failure(HTTPFailure(kind, "\(request.host): \(detail)\(kind.remedy)")))
    }

    private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        isTooLarge = headerBytes > Self.maximumHeaderBytes
        if line.starts(with: "HTTP/".utf8) {
            // The headers of an interim response are dropped.
            response.headers = []
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || (9...13).contains(byte) }
            let value = line[(colon + 1)...].drop(while: isBlank)
            let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? value.startIndex
            let name = String(decoding: line[..<colon], as: UTF8.self)
            response.headers.append(HTTPHeader(name, String(decoding: value[..<end], as: UTF8.self)))
        }
        return !isTooLarge
    }

    private func receiveBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = piece.count > request.maximumResponseBytes - response.body.count
        if !isTooLarge { response.body.append(contentsOf: piece) }
        return !isTooLarge
    }

    private func sendBody(into space: UnsafeMutableRawBufferPointer) -> Int {
        request.body.withUnsafeBytes { body in
            let piece = body.dropFirst(bytesSent).prefix(space.count)
            space.copyBytes(from: piece)
            bytesSent += piece.count
            return piece.count
        }
    }

    /// The functions that libcurl calls. Returning another count than the given one ends the transfer. The seek function is for
    /// a body that has to be sent again, because the server has closed a reused connection.
    private static let callbacks = CurlHandle.Callbacks(
        header: { bytes, size, count, object in
            let isWanted = transfer(object).receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
            return isWanted ? size * count : 0
        },
        write: { bytes, size, count, object in
            let isWanted = transfer(object).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
            return isWanted ? size * count : 0
        },
        read: { space, size, count, object in
            transfer(object).sendBody(into: UnsafeMutableRawBufferPointer(start: space, count: size * count))
        },
        seek: { object, offset, origin in
            guard origin == SEEK_SET, offset >= 0 else { return CURL_SEEKFUNC_CANTSEEK }
            transfer(object).bytesSent = Int(offset)
            return CURL_SEEKFUNC_OK
        }
    )

    private static func transfer(_ object: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let object else { preconditionFailure("libcurl lost the object of its callbacks") }
        return Unmanaged<CurlTransfer>.fromOpaque(object).takeUnretainedValue()
    }
}

extension HTTPRequest {
    /// Host and port, for messages. The path and the user info may contain secrets.
    fileprivate var host: String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return String(rest.prefix { $0 != "/" && $0 != "?" }.split(separator: "@").last ?? "")
    }
}
