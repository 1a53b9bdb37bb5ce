import CRecorderCurl

/// Throws unless libcurl accepted an option.
func check(_ code: CURLcode, setting option: StaticString) throws(HTTPFailure) {
    guard code != CURLE_OK else { return }
    let reason = String(cString: curl_easy_strerror(code))
    throw HTTPFailure(.other, "libcurl \(CurlLibrary.version) refused the option \"\(option)\": \(reason).")
}

/// Throws unless a call on the multi handle succeeded.
func check(_ code: CURLMcode) throws(HTTPFailure) {
    guard code != CURLM_OK else { return }
    throw HTTPFailure(.other, "libcurl \(CurlLibrary.version): \(String(cString: curl_multi_strerror(code))).")
}

extension HTTPFailure {
    /// Whether libcurl's error text quotes the proxy's URL, with user name and password. It does if it cannot parse the URL,
    /// does not know its scheme, or was built without proxy support.
    static func quotesProxy(_ text: String) -> Bool { text.hasPrefix("Unsupported proxy") }

    /// The error text to use instead.
    static let unusableProxy =
        "the proxy that the environment names cannot be used. Check https_proxy, HTTPS_PROXY, http_proxy and ALL_PROXY;"
        + " special characters in its user name and password must be percent-encoded."
}

extension HTTPFailure {
    /// libcurl's error text without user names and passwords: the text before each `@` is redacted.
    package static func withoutUserInfo(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false)
            .map { word in word.lastIndex(of: "@").map { "(redacted)\(word[$0...])" } ?? String(word) }
            .joined(separator: " ")
    }
}

extension HTTPFailure.Kind {
    /// The kind for the number of a code in libcurl's documentation.
    package init(curlCode: UInt32, text: String = "", hasSent: Bool = true) {
        self.init(CURLcode(rawValue: curlCode), text: text, hasSent: hasSent)
    }

    /// `CURLE_TOO_LARGE`, an endless header line. New in libcurl 8.6, so older headers do not define it.
    private static let tooLarge = CURLcode(rawValue: 100)

    /// The kind for a transfer's result code; `text` is libcurl's error text.
    ///
    /// Two codes have two meanings each. For a server that does not speak HTTP libcurl reports an unsupported protocol;
    /// unlike for an unsupported scheme, something has been sent. For a connection that breaks during the handshake it
    /// reports a TLS error.
    init(_ code: CURLcode, text: String, hasSent: Bool) {
        self =
            switch code {
            case CURLE_UNSUPPORTED_PROTOCOL: hasSent ? .unreadableResponse : .invalidURL
            case CURLE_URL_MALFORMAT: .invalidURL
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameNotResolved
            case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_PROXY: .cannotConnect
            case _ where Self.isRefusalOfCertificate(text, code): .clientCertificate
            case CURLE_SSL_CONNECT_ERROR: Self.endsOfConnection.contains(where: text.contains) ? .connectionLost : .tls
            case CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_USE_SSL_FAILED: .tls
            case CURLE_SSL_CERTPROBLEM, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
                CURLE_SSL_ENGINE_INITFAILED:
                .clientCertificate
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE: .certificateUntrusted
            case CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS: .certificateUntrusted
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: .connectionLost
            case CURLE_SEND_FAIL_REWIND, CURLE_HTTP2, CURLE_HTTP2_STREAM: .connectionLost
            case CURLE_FILESIZE_EXCEEDED, Self.tooLarge: .responseTooLarge
            // Before libcurl 8.6 an endless header line is reported as "out of memory".
            case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_OUT_OF_MEMORY: .unreadableResponse
            case CURLE_ABORTED_BY_CALLBACK: .cancelled
            default: .other
            }
    }

    /// The error texts of libcurl and OpenSSL for a broken connection.
    private static let endsOfConnection = ["Recv failure", "Send failure", "SSL_ERROR_SYSCALL", "unexpected eof"]

    /// Whether the server ended the handshake because of the client's certificate. In TLS 1.3 the client learns that when it
    /// reads the response. The texts are OpenSSL's names of the alerts in https://www.rfc-editor.org/rfc/rfc8446#section-6.2
    private static func isRefusalOfCertificate(_ text: String, _ code: CURLcode) -> Bool {
        guard [CURLE_SSL_CONNECT_ERROR, CURLE_RECV_ERROR, CURLE_SEND_ERROR].contains(code) else { return false }
        return ["certificate", "bad certificate", "unsupported certificate", "unknown ca", "access denied"]
            .contains { text.contains("alert \($0)") }
    }

    /// What the user can do, as a sentence to append.
    var remedy: String {
        switch self {
        case .nameNotResolved: " Check the endpoint's name and the machine's DNS."
        case .cannotConnect: " Check the network, the endpoint and the proxy settings."
        case .certificateUntrusted:
            " If this server is the right one, name the file with its authority's certificate in AWS_CA_BUNDLE."
        case .tls: " TLS 1.2 or later is needed; check the endpoint, and the file that AWS_CA_BUNDLE names."
        case .timedOut: " Check the network, or allow requests more time."
        default: ""
        }
    }
}
