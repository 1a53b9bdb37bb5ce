import CRecorderCurl
import FoundationEssentials
import RecordFormats

/// Sends requests with libcurl. Connections are reused, TLS is always verified, redirects are not followed.
///
/// Safe to use from any thread; requests run concurrently. Cancelling the calling task ends its request immediately. Proxies
/// are taken from the environment, as curl does, unless a request opts out.
package final class CurlTransport: HTTPTransport {
    /// The shared transport of the process, which shares its connections.
    package static let shared = CurlTransport()

    private let thread = CurlThread()
    private let certificateAuthorities: String?

    /// A transport with its own thread and connections, which end when it is deallocated.
    ///
    /// `certificateAuthorities` is the path of a PEM file with authorities to trust, by default the one in `AWS_CA_BUNDLE`;
    /// nil or empty for the system's authorities only.
    package init(certificateAuthorities: String? = ProcessInfo.processInfo.environment["AWS_CA_BUNDLE"]) {
        self.certificateAuthorities = certificateAuthorities.flatMap { $0.isEmpty ? nil : $0 }
    }

    deinit { thread.stop() }

    package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let transfer = CurlTransfer(request, certificateAuthorities: certificateAuthorities)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { thread.start(transfer, completion: $0) }
        } onCancel: {
            transfer.cancel()
            thread.wake()
        }
        return try result.get()
    }
}

/// The libcurl that is loaded in this process.
package enum CurlLibrary {
    /// The version, such as `7.88.1`.
    package static let version = String(cString: recorder_curl_version())

    /// The result of initializing libcurl.
    ///
    /// [Must be called before all other functions](https://curl.se/libcurl/c/curl_global_init.html). A static property is
    /// initialized once, and other threads wait for it.
    static let start: CURLcode = {
        CryptoLibrary.start
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    }()
}
