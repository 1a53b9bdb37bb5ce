import Foundation

/// Sends requests with libcurl: connections are kept and used again, TLS is always verified, redirects are answers.
///
/// Safe to use from any thread; requests run side by side. Cancelling the calling task answers at once. Proxies are taken
/// from the environment as curl does, unless a request says no.
package final class CurlTransport: HTTPTransport {
    /// The transport of the whole process, so that its connections are shared.
    package static let shared = CurlTransport()

    private let thread = CurlThread()
    private let certificateAuthorities: String?

    /// A transport with a thread and connections of its own, which go with it.
    ///
    /// `certificateAuthorities` names a PEM file of authorities to trust, by default the one in `AWS_CA_BUNDLE`; nil or
    /// empty for the system's alone.
    package init(certificateAuthorities: String? = ProcessInfo.processInfo.environment["AWS_CA_BUNDLE"]) {
        self.certificateAuthorities = certificateAuthorities.flatMap { $0.isEmpty ? nil : $0 }
    }

    deinit { thread.stop() }

    package func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let transfer = CurlTransfer(request, certificateAuthorities: certificateAuthorities)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { thread.start(transfer, answering: $0) }
        } onCancel: {
            transfer.cancel()
            thread.wake()
        }
        return try result.get()
    }
}
