import RecorderHTTP
import RecorderTestSupport
import Testing

@Suite struct CurlErrorTests {
    /// Numbers, because the headers of an older libcurl lack the codes of newer ones.
    @Test(
        arguments: [
            (6, .nameNotResolved), (7, .cannotConnect), (28, .timedOut), (56, .connectionLost),
            (60, .certificateUntrusted),
            (63, .responseTooLarge), (100, .responseTooLarge), (27, .unreadableResponse), (99, .other), (101, .other),
        ] as [(UInt32, HTTPFailure.Kind)]
    )
    func `each of libcurl's codes has a kind, including those of later releases`(
        code: UInt32,
        kind: HTTPFailure.Kind
    ) {
        #expect(HTTPFailure.Kind(curlCode: code) == kind)
    }

    @Test(arguments: [
        ("Could not use proxy 'http://u:secret@h:1'", "Could not use proxy (redacted)@h:1'"),
        ("u:secret@h: a@b, done", "(redacted)@h: (redacted)@b, done"), ("plain  text", "plain  text"),
    ])
    func `libcurl's texts lose the user name and password of a URL`(text: String, shown: String) {
        #expect(HTTPFailure.withoutUserInfo(text) == shown)
    }
}
