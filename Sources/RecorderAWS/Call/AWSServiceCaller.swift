import RecorderConcurrency
package import RecorderHTTP

/// START HERE: one call to a service, from body to answer.
///
/// Credentials, signature, request, and what to do when it fails: try again after a delay, with other credentials, or by
/// the service's clock. Safe to use from any thread; calls run side by side and share one quota of retries.
package final class AWSServiceCaller: Sendable {
    private let service: AWSService
    private let configuration: CallConfiguration
    private let signer: SigV4Signer
    private let skew = ClockSkew()
    private let quota = RetryQuota()
    private let renewal = SingleFlight<Credentials?, CredentialsFailure>(cancelled: .stoppedWaiting)

    /// The longest delay that a user's own strategy can ask for.
    package static let longestBackoff = Duration.seconds(86_400)

    /// A caller of one service.
    package init(_ service: AWSService, _ configuration: CallConfiguration) {
        self.service = service
        self.configuration = configuration
        signer = SigV4Signer(region: configuration.region.name, service: service.signingName)
    }

    /// The retries of one call, or of several that share them: none made yet.
    package func attempts() -> CallAttempts { CallAttempts(maximumRetries: configuration.maximumRetries) }

    /// Posts one operation and gives the 2xx answer as it is; whether its body makes sense is for the caller to judge.
    ///
    /// Cancelling the calling task ends the call, delays included, within a second. An answer of more than
    /// `maximumResponseBytes` is none.
    package func call(
        _ operation: String,
        body: [UInt8],
        headers: [HTTPHeader] = [],
        maximumResponseBytes: Int = 4 << 20,
        hiding secrets: [String] = []
    ) async throws(ServiceFailure) -> HTTPResponse {
        var attempts = attempts()
        return try await call(
            Order(
                operation: operation,
                body: body,
                bodyDigest: nil,
                headers: headers,
                maximumResponseBytes: maximumResponseBytes,
                secrets: secrets
            ),
            &attempts
        )
    }

    /// The same as one of several calls that share their retries. `bodyDigest` is the body's SHA-256, where it is known
    /// already.
    package func call(
        _ operation: String,
        body: [UInt8],
        bodyDigest: [UInt8]? = nil,
        headers: [HTTPHeader],
        maximumResponseBytes: Int = 4 << 20,
        _ attempts: inout CallAttempts
    ) async throws(ServiceFailure) -> HTTPResponse {
        let order = Order(
            operation: operation,
            body: body,
            bodyDigest: bodyDigest,
            headers: headers,
            maximumResponseBytes: maximumResponseBytes,
            secrets: []
        )
        return try await call(order, &attempts)
    }

    private func call(_ order: Order, _ attempts: inout CallAttempts) async throws(ServiceFailure) -> HTTPResponse {
        attempts.beginCall()
        while true {
            let credentials = try await credentials()
            let clockError = skew.seconds
            let failure: ServiceFailure
            do {
                let response = try await post(order, credentials)
                quota.refund(attempts.lastRetry)
                return response
            } catch {
                failure = error
            }
            let goesOn =
                switch attempts.step(after: failure) {
                case .retry(let delay, let number): try await wait(delay, retry: number, hint: failure.retryAfter)
                case .renewCredentials: try await hasOther(than: credentials)
                case .correctClock:
                    skew.learn(serverDate: failure.serverDate, at: configuration.now(), insteadOf: clockError)
                case .giveUp: false
                }
            guard goesOn else { throw failure }
            RecorderLog.debug("call: \(order.operation) is sent again after: \(failure)")
        }
    }

    /// Why a call that succeeded must be made again.
    package enum Unfinished: Sendable {
        /// Its answer asks for a part of it to be sent again.
        case asksAgain(RetryDelay)
        /// Its answer proves nothing.
        case unreadable
    }

    /// Pays for a retry of a call that succeeded, and waits for its time; false, at once, when there is none left. Throws
    /// only when the task is cancelled.
    package func waitToRetry(
        _ reason: Unfinished,
        _ attempts: inout CallAttempts
    ) async throws(ServiceFailure) -> Bool {
        let step =
            switch reason {
            case .asksAgain(let delay): attempts.retry(delay)
            case .unreadable: attempts.retryUnanswered()
            }
        guard case .retry(let delay, let number) = step else { return false }
        return try await wait(delay, retry: number)
    }

    /// Waits, and no longer than until the task is cancelled.
    package func pause(_ duration: Duration) async { try? await configuration.pause(duration) }

    /// Pays for a retry and waits for its time; false, at once, when the quota is used up.
    private func wait(_ delay: RetryDelay, retry: Int, hint: Duration? = nil) async throws(ServiceFailure) -> Bool {
        guard quota.pay(for: delay) else { return false }
        do {
            let chosen = configuration.backoff.map { min(max($0(retry), .zero), Self.longestBackoff) }
            try await configuration.pause(
                chosen ?? delay.delay(beforeRetry: retry, random: configuration.random(), hint: hint)
            )
            return true
        } catch {
            throw ServiceFailure(.cancelled, message: "The call was cancelled while it waited to try again.")
        }
    }

    /// What the user of a call asks for.
    private struct Order {
        let operation: String
        let body: [UInt8]
        let bodyDigest: [UInt8]?
        let headers: [HTTPHeader]
        let maximumResponseBytes: Int
        let secrets: [String]
    }

    private func post(_ order: Order, _ credentials: Credentials?) async throws(ServiceFailure) -> HTTPResponse {
        let endpoint = configuration.endpoint
        var request = HTTPRequest(url: endpoint.url, body: order.body, timeouts: configuration.timeouts)
        request.maximumResponseBytes = order.maximumResponseBytes
        request.headers =
            [HTTPHeader("Host", endpoint.host)] + service.headers(for: order.operation) + order.headers
        if let credentials {
            signer.sign(
                &request,
                path: endpoint.path,
                bodyDigest: order.bodyDigest,
                with: credentials,
                at: skew.corrected(configuration.now())
            )
        }
        // Not signed: proxies may change it.
        request.headers.append(HTTPHeader("User-Agent", configuration.userAgent))
        let response: HTTPResponse
        do {
            response = try await configuration.transport.send(request)
        } catch {
            throw ServiceFailure(error)
        }
        let failure = ServiceFailure(response, hiding: order.secrets + Self.secrets(of: request, credentials))
        if let failure { throw failure }
        return response
    }

    /// What a service must not tell the world about a request.
    private static func secrets(of request: HTTPRequest, _ credentials: Credentials?) -> [String] {
        guard let credentials else { return [] }
        let authorization = request.headers.last { $0.name == "Authorization" }?.value
        let signature = authorization?.split(separator: "Signature=").last.map(String.init)
        return [credentials.accessKeyID, credentials.secretAccessKey, credentials.sessionToken, signature]
            .compactMap(\.self)
    }

    private func credentials() async throws(ServiceFailure) -> Credentials? {
        do {
            return try await configuration.credentials.credentials()
        } catch {
            throw ServiceFailure(error)
        }
    }

    /// Whether there are keys other than the refused ones. Another call may have renewed them meanwhile, so the source is
    /// asked before it is told to forget; and one call at a time does both, or the later one would throw away the keys that
    /// the earlier one has just got.
    private func hasOther(than refused: Credentials?) async throws(ServiceFailure) -> Bool {
        let source = configuration.credentials
        do {
            let current = try await renewal.value { () throws(CredentialsFailure) in
                let current = try await source.credentials()
                guard current == refused else { return current }
                source.invalidate()
                return try await source.credentials()
            }
            return current != refused
        } catch {
            throw ServiceFailure(error)
        }
    }
}

extension AWSService {
    /// What tells the service which operation the body is for; in a form, the body itself says so.
    fileprivate func headers(for operation: String) -> [HTTPHeader] {
        guard let targetPrefix else {
            return [HTTPHeader("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")]
        }
        return [
            HTTPHeader("Content-Type", "application/x-amz-json-1.1"),
            HTTPHeader("X-Amz-Target", "\(targetPrefix).\(operation)"),
        ]
    }
}
