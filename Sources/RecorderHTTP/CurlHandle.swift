import CRecorderCurl
import Glibc
import RecorderConcurrency

/// libcurl's easy handle for one transfer, with its header list and error text; one method for each group of options.
///
/// Must be used by one thread only.
final class CurlHandle {
    /// The handle, for calls on the multi handle.
    let raw: UnsafeMutableRawPointer

    /// In bytes; the system's own list has 200 KB.
    private static let longestAuthorities = 64 << 20

    private var headerList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    /// A handle with the options that apply to every request.
    init() throws(HTTPFailure) {
        guard CurlLibrary.start == CURLE_OK, let raw = curl_easy_init() else {
            throw HTTPFailure(.other, "libcurl \(CurlLibrary.version) cannot start: out of memory?")
        }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try check(recorder_curl_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText), setting: "error buffer")
        try setSafeguards()
    }

    /// libcurl reads the header list [as long as the handle exists](https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html),
    /// so the handle is freed first.
    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// libcurl's text about this failure, else its general text for the code.
    func explanation(of code: CURLcode) -> String {
        let text = String(cString: errorText)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    /// The number of bytes sent and received so far.
    var bytesMoved: Int64 {
        number(CURLINFO_SIZE_UPLOAD_T) + number(CURLINFO_SIZE_DOWNLOAD_T)
    }

    /// The bytes that wait in the connection's socket, or are on their way, until the other side acknowledges them; 0 if that is
    /// not known. While a request is under way, libcurl tells no socket, but the ports.
    var bytesUnacknowledged: Int64 {
        var (local, remote, count) = (0, 0, CInt(0))
        guard recorder_curl_get_long(raw, CURLINFO_LOCAL_PORT, &local) == CURLE_OK,
            recorder_curl_get_long(raw, CURLINFO_PRIMARY_PORT, &remote) == CURLE_OK, local > 0,
            let socket = OwnDescriptors.first(where: {
                Self.port(of: $0, getsockname) == local && Self.port(of: $0, getpeername) == remote
            })
        else { return 0 }
        // SIOCOUTQ: https://man7.org/linux/man-pages/man7/tcp.7.html
        return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int64(count) : 0
    }

    private static func port(
        of socket: Int32,
        _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int? {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(socket, $0, &size) }
        }
        // In an address of version 4 it is at the same place.
        return code == 0 ? Int(UInt16(bigEndian: address.sin6_port)) : nil
    }

    /// Whether a part of the request has been sent.
    var hasSent: Bool {
        var size = 0
        return recorder_curl_get_long(raw, CURLINFO_REQUEST_SIZE, &size) == CURLE_OK && size > 0
    }

    /// The status code of the response.
    var status: Int {
        var status = 0
        return recorder_curl_get_long(raw, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0
    }

    /// [The URL](https://curl.se/libcurl/c/CURLOPT_URL.html).
    ///
    /// A URL without a scheme is refused, because libcurl would guess one.
    func setURL(_ url: String) throws(HTTPFailure) {
        guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
            throw HTTPFailure(.invalidURL, "The address does not begin with https:// or http://.")
        }
        try check(recorder_curl_set_string(raw, CURLOPT_URL, url), setting: "address")
    }

    /// [The method](https://curl.se/libcurl/c/CURLOPT_POST.html) and the length of the body that the read callback gives.
    func setMethod(_ method: HTTPRequest.Method, bodyLength: Int) throws(HTTPFailure) {
        switch method {
        case .get:
            try check(recorder_curl_set_long(raw, CURLOPT_HTTPGET, 1), setting: "GET")
        case .post:
            try check(recorder_curl_set_long(raw, CURLOPT_POST, 1), setting: "POST")
            try check(
                recorder_curl_set_offset(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bodyLength)),
                setting: "body length"
            )
        case .put:
            try check(recorder_curl_set_long(raw, CURLOPT_UPLOAD, 1), setting: "PUT")
            try check(
                recorder_curl_set_offset(raw, CURLOPT_INFILESIZE_LARGE, curl_off_t(bodyLength)),
                setting: "body length"
            )
        }
        // The default of 64 KiB costs a large body many more system calls.
        let buffer = min(max(bodyLength, 64 << 10), 1 << 20)
        try check(recorder_curl_set_long(raw, CURLOPT_UPLOAD_BUFFERSIZE, buffer), setting: "upload buffer")
    }

    /// [The headers](https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html). `Expect` is never sent: waiting for the server's
    /// interim response costs a round trip, or a second if the server sends none.
    func setHeaders(_ headers: [HTTPHeader]) throws(HTTPFailure) {
        for header in headers {
            let isOneLine = !(header.name + header.value).utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }
            guard isOneLine, !header.name.isEmpty else {
                throw HTTPFailure(
                    .other,
                    "The value for the header \(header.name.debugDescription) has a line end in it."
                )
            }
            // An empty value needs a semicolon, because "Name:" removes the header.
            try append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        try append("Expect:")
        try check(recorder_curl_set_pointer(raw, CURLOPT_HTTPHEADER, headerList), setting: "headers")
    }

    /// The timeouts for [connecting](https://curl.se/libcurl/c/CURLOPT_CONNECTTIMEOUT_MS.html) and for
    /// [the whole transfer](https://curl.se/libcurl/c/CURLOPT_TIMEOUT_MS.html). Stalls are detected by ``ProgressWatch``.
    func setTimeouts(connect: Duration, total: Duration) throws(HTTPFailure) {
        try check(
            recorder_curl_set_long(raw, CURLOPT_CONNECTTIMEOUT_MS, connect.milliseconds),
            setting: "time to connect"
        )
        try check(recorder_curl_set_long(raw, CURLOPT_TIMEOUT_MS, total.milliseconds), setting: "total time")
    }

    /// [The hosts without a proxy](https://curl.se/libcurl/c/CURLOPT_NOPROXY.html), `*` for all. Overrides the environment's
    /// list.
    func setNoProxy(_ hosts: String) throws(HTTPFailure) {
        try check(recorder_curl_set_string(raw, CURLOPT_NOPROXY, hosts), setting: "no proxy")
    }

    /// [A file with certificate authorities](https://curl.se/libcurl/c/CURLOPT_CAINFO.html) to trust, in addition to those in
    /// [the system's directory](https://curl.se/libcurl/c/CURLOPT_CAPATH.html) or instead of them.
    func setCertificateAuthorities(_ path: String, insteadOfSystem: Bool = false) throws(HTTPFailure) {
        var status = stat()
        // OpenSSL would wait for the writer of a FIFO, on the thread of all transfers. It reports a missing file itself.
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.longestAuthorities
        else {
            throw HTTPFailure(.tls, "\(path) is not a file with certificate authorities. Name one in PEM format.")
        }
        try check(recorder_curl_set_string(raw, CURLOPT_CAINFO, path), setting: "certificate authorities")
        guard insteadOfSystem else { return }
        try check(recorder_curl_set_string(raw, CURLOPT_CAPATH, nil), setting: "certificate authorities")
    }

    /// [The certificate](https://curl.se/libcurl/c/CURLOPT_SSLCERT.html) to show to the server, and
    /// [its key](https://curl.se/libcurl/c/CURLOPT_SSLKEY.html).
    ///
    /// The connection is used for this request only: a later one may find another certificate in the same file, and must
    /// not be accepted because of the earlier one.
    func setClientCertificate(_ own: ClientCertificate) throws(HTTPFailure) {
        let certificateType = try type(of: own.certificate)
        let keyType = try type(of: own.privateKey)
        try check(recorder_curl_set_string(raw, CURLOPT_SSLCERT, own.certificate), setting: "client certificate")
        try check(recorder_curl_set_string(raw, CURLOPT_SSLCERTTYPE, certificateType), setting: "client certificate")
        try check(recorder_curl_set_string(raw, CURLOPT_SSLKEY, own.privateKey), setting: "client key")
        try check(recorder_curl_set_string(raw, CURLOPT_SSLKEYTYPE, keyType), setting: "client key")
        // Without it, OpenSSL asks for a passphrase at the terminal.
        try check(recorder_curl_set_string(raw, CURLOPT_KEYPASSWD, ""), setting: "no passphrase")
        try check(recorder_curl_set_long(raw, CURLOPT_FRESH_CONNECT, 1), setting: "own connection")
        try check(recorder_curl_set_long(raw, CURLOPT_FORBID_REUSE, 1), setting: "own connection")
        try check(recorder_curl_set_long(raw, CURLOPT_SSL_SESSIONID_CACHE, 0), setting: "own TLS session")
    }

    /// How libcurl reads a certificate or a key: from a file, or through OpenSSL's engine or provider for PKCS#11.
    private func type(of location: String) throws(HTTPFailure) -> String {
        guard ClientCertificate.isToken(location) else { return "PEM" }
        if recorder_curl_set_string(raw, CURLOPT_SSLENGINE, "pkcs11") == CURLE_OK { return "ENG" }
        guard recorder_curl_has_providers() != 0 else {
            throw HTTPFailure(
                .clientCertificate,
                "A PKCS#11 URI needs OpenSSL's engine for PKCS#11, which is not installed: install "
                    + "libengine-pkcs11-openssl (Fedora: openssl-pkcs11)."
            )
        }
        return "PROV"
    }

    /// The [callbacks](https://curl.se/libcurl/c/CURLOPT_WRITEFUNCTION.html) and the object that is passed to each.
    func setCallbacks(_ callbacks: Callbacks, object: UnsafeMutableRawPointer) throws(HTTPFailure) {
        try check(recorder_curl_set_write(raw, CURLOPT_HEADERFUNCTION, callbacks.header), setting: "header callback")
        try check(recorder_curl_set_pointer(raw, CURLOPT_HEADERDATA, object), setting: "header callback")
        try check(recorder_curl_set_write(raw, CURLOPT_WRITEFUNCTION, callbacks.write), setting: "write callback")
        try check(recorder_curl_set_pointer(raw, CURLOPT_WRITEDATA, object), setting: "write callback")
        try check(recorder_curl_set_read(raw, CURLOPT_READFUNCTION, callbacks.read), setting: "read callback")
        try check(recorder_curl_set_pointer(raw, CURLOPT_READDATA, object), setting: "read callback")
        try check(recorder_curl_set_seek(raw, CURLOPT_SEEKFUNCTION, callbacks.seek), setting: "seek callback")
        try check(recorder_curl_set_pointer(raw, CURLOPT_SEEKDATA, object), setting: "seek callback")
    }

    /// The functions that libcurl calls during a transfer.
    struct Callbacks {
        var header: curl_write_callback
        var write: curl_write_callback
        var read: curl_read_callback
        var seek: curl_seek_callback
    }

    /// The options for every request: verified TLS, HTTP and HTTPS only, no redirects, no signals.
    ///
    /// HTTP/1.1 is intentional. The services need no more, no stream window slows uploads down, and HTTP/2 uploads stalled in
    /// several releases of libcurl that distributions ship
    /// ([8.1](https://github.com/curl/curl/issues/11426), [8.10](https://github.com/curl/curl/issues/14892)).
    private func setSafeguards() throws(HTTPFailure) {
        try check(recorder_curl_set_long(raw, CURLOPT_NOSIGNAL, 1), setting: "no signals")
        try check(recorder_curl_set_quick_exit(raw), setting: "quick exit")
        try check(recorder_curl_set_open_socket(raw, Self.openSocket), setting: "own sockets")
        try check(recorder_curl_set_close_socket(raw, Self.closeSocket), setting: "own sockets")
        try check(recorder_curl_set_web_only(raw), setting: "protocols")
        try check(recorder_curl_set_long(raw, CURLOPT_FOLLOWLOCATION, 0), setting: "no redirects")
        try check(recorder_curl_set_long(raw, CURLOPT_SSL_VERIFYPEER, 1), setting: "verified certificate")
        try check(recorder_curl_set_long(raw, CURLOPT_SSL_VERIFYHOST, 2), setting: "verified host")
        try check(recorder_curl_set_long(raw, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), setting: "TLS 1.2")
        try check(recorder_curl_set_long(raw, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)), setting: "HTTP/1.1")
        try check(recorder_curl_set_long(raw, CURLOPT_TCP_KEEPALIVE, 1), setting: "keep-alive")
    }

    /// Opens [a connection's socket](https://curl.se/libcurl/c/CURLOPT_OPENSOCKETFUNCTION.html) as libcurl would, but so that
    /// neither a program that the process starts nor a forked child keeps it.
    private static let openSocket: curl_opensocket_callback = { _, _, address in
        guard let address = address?.pointee else { return CURL_SOCKET_BAD }
        OwnDescriptors.occupyStandard()
        let kind = address.socktype | CInt(SOCK_CLOEXEC.rawValue)
        let file = socket(address.family, kind, address.protocol)
        if file >= 0 { OwnDescriptors.note(file) }
        return file
    }

    private static let closeSocket: curl_closesocket_callback = { _, file in
        OwnDescriptors.close(file)
        return 0
    }

    private func append(_ line: String) throws(HTTPFailure) {
        guard let longer = curl_slist_append(headerList, line) else {
            throw HTTPFailure(.other, "No memory for the headers.")
        }
        headerList = longer
    }

    private func number(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        return recorder_curl_get_offset(raw, info, &value) == CURLE_OK ? Int64(value) : 0
    }
}

@available(*, unavailable)
extension CurlHandle: Sendable {}

extension Duration {
    /// Whole milliseconds, rounded up, from 1 to 2,000,000,000, which fits into 32 bits.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        guard seconds >= 0 else { return 1 }
        return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}
