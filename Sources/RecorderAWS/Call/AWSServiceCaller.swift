import RecorderConcurrency
package import RecorderHTTP

/// START HERE: one call to a service, from request body to response.
///
/// Gets credentials, signs the request and sends it. If the call fails, it is tried again: after a delay, with other
/// credentials, or with the service's time. Safe to use from any thread; concurrent calls share one quota of retries.
package final class AWSServiceCaller: Sendable {
    private let service: AWSService
    let configuration: CallConfiguration
    private let endpoints: RequestEndpoints
    private let signer: SigV4Signer
    private let skew = ClockSkew()
    private let quota: RetryQuota
    private let renewal = SingleFlight<Credentials?, CredentialsFailure>(cancelled: .stoppedWaiting)

    /// The longest delay that a user's own retry strategy can set.
    package static let longestBackoff = Duration.seconds(86_400)

    /// A caller for one service.
    package init(_ service: AWSService, configuration: CallConfiguration) {
        self.service = service
        self.configuration = configuration
        let (available, capacity) = configuration.retryQuota
        endpoints = RequestEndpoints(configuration.endpoint)
        quota = RetryQuota(available: available, capacity: capacity)
        signer = SigV4Signer(region: configuration.region.name, service: service.signingName)
    }

    /// The region that requests are signed for.
    package var region: Region { configuration.region }
    package var lookupTimeout: Duration { configuration.lookupTimeout }

    /// The account that requests are signed for, if the credentials say which.
    package func accountID() async -> String? {
        (try? await configuration.credentials.credentials())?.accountID
    }

    /// The retries of one call, or of several that share them. Starts without any.
    package func attempts() -> CallAttempts { CallAttempts(maximumRetries: configuration.maximumRetries) }

    /// Calls an operation and returns the 2xx response. Its body is not checked.
    ///
    /// Cancelling the task ends the call within a second, even during a delay.
    package func call(_ operation: String, body: [UInt8]) async throws(ServiceFailure) -> HTTPResponse {
        try await call(CallRequest(operation, body: body))
    }

    /// Calls an operation with options and returns the 2xx response. Its body is not checked.
    package func call(_ request: CallRequest) async throws(ServiceFailure) -> HTTPResponse {
        var attempts = attempts()
        return try await call(request, attempts: &attempts)
    }

    /// Calls an operation as one of several calls that share their retries.
    package func call(
        _ request: CallRequest,
        attempts: inout CallAttempts
    ) async throws(ServiceFailure) -> HTTPResponse {
        attempts.beginCall()
        while true {
            let credentials = try await credentials()
            let correction = skew.seconds
            let failure: ServiceFailure
            do {
                let response = try await post(request, signedWith: credentials)
                quota.refund(attempts.lastRetry)
                configuration.onAnswer?(nil)
                return response
            } catch {
                failure = error
                configuration.onAnswer?(error)
            }
            let retries =
                switch attempts.step(after: failure) {
                case .retry(let delay, let number):
                    try await wait(delay, retry: number, hint: failure.retryAfter) != nil
                case .renewCredentials: try await renewCredentials(refused: credentials, after: failure)
                case .correctClock:
                    // A secret key that does not belong to its access key is refused with the same error.
                    if skew.learn(serverDate: failure.serverDate, at: configuration.now(), insteadOf: correction) {
                        true
                    } else if attempts.takeRenewal() {
                        try await renewCredentials(refused: credentials, after: failure)
                    } else {
                        false
                    }
                case .giveUp: false
                }
            guard retries else { throw failure }
            RecorderLog.debug("call: \(request.operation) is sent again after: \(failure)")
        }
    }

    /// Why a call with a status of success is made again.
    package enum RetryReason: Sendable {
        /// The response asks to send a part of the request again.
        case partialFailure(RetryDelay)
        /// The response cannot be read.
        case unreadable
    }

    /// Pays for a retry after a status of success and waits for its delay, which is returned. Returns nil immediately if no retry
    /// is left. Throws only if the task is cancelled.
    package func waitToRetry(
        _ reason: RetryReason,
        attempts: inout CallAttempts
    ) async throws(ServiceFailure) -> Duration? {
        let step =
            switch reason {
            case .partialFailure(let delay): attempts.retry(delay)
            case .unreadable: attempts.retryUnanswered()
            }
        guard case .retry(let delay, let number) = step else { return nil }
        let waited = try await wait(delay, retry: number)
        if waited != nil { attempts.paidBetweenCalls = delay }
        return waited
    }

    /// Refunds what ``waitToRetry(_:attempts:)`` paid last, because the retry was accepted at least in part.
    package func refund(_ attempts: inout CallAttempts) {
        guard let paid = attempts.paidBetweenCalls else { return }
        quota.refund(paid)
        attempts.paidBetweenCalls = nil
    }

    /// A random number from 0 to 1, which spreads delays.
    package func random() -> Double { configuration.random() }

    /// The time that passes, for the pace of requests.
    package var instant: ContinuousClock.Instant { configuration.instant() }

    /// Waits for a duration, or until the task is cancelled.
    package func pause(_ duration: Duration) async { try? await configuration.pause(duration) }

    /// Pays for a retry and waits for its delay, which is returned. Returns nil immediately if the quota is used up.
    private func wait(_ delay: RetryDelay, retry: Int, hint: Duration? = nil) async throws(ServiceFailure) -> Duration?
    {
        guard quota.pay(for: delay) else { return nil }
        let chosen = configuration.backoff.map { min(max($0(retry), .zero), Self.longestBackoff) }
        let duration = chosen ?? delay.delay(beforeRetry: retry, random: configuration.random(), hint: hint)
        do {
            try await configuration.pause(duration)
            return duration
        } catch {
            throw ServiceFailure(.cancelled, message: "The call was cancelled while it waited to try again.")
        }
    }

    private func post(
        _ call: CallRequest,
        signedWith credentials: Credentials?
    ) async throws(ServiceFailure) -> HTTPResponse {
        let endpoint = try endpoint(of: call, signedWith: credentials)
        var request = HTTPRequest(url: endpoint.url, body: call.body, timeouts: configuration.timeouts)
        request.maximumResponseBytes = call.maximumResponseBytes
        request.headers =
            [HTTPHeader("Host", endpoint.host)] + service.headers(for: call) + call.headers
        if let credentials {
            signer.sign(
                &request,
                path: endpoint.path,
                bodyDigest: call.bodyDigest,
                with: credentials,
                at: skew.corrected(configuration.now())
            )
        }
        // Not signed, because proxies may change it.
        request.headers.append(HTTPHeader("User-Agent", configuration.userAgent))
        let response: HTTPResponse
        do {
            response = try await configuration.transport.send(request)
        } catch {
            throw ServiceFailure(error)
        }
        let failure = ServiceFailure(response, redacting: call.secrets + Self.secrets(of: request, credentials))
        if let failure { throw failure }
        return response
    }

    private func endpoint(
        of call: CallRequest,
        signedWith credentials: Credentials?
    ) throws(ServiceFailure) -> Endpoint {
        do throws(ConfigurationFailure) {
            return try endpoints.endpoint(of: call.operation, context: call.context, signedWith: credentials)
        } catch {
            throw ServiceFailure(.configuration(error), message: error.message)
        }
    }

    /// The parts of a request that must not appear in an error message, even if the service quotes them.
    private static func secrets(of request: HTTPRequest, _ credentials: Credentials?) -> [String] {
        guard let credentials else { return [] }
        let authorization = request.headers.last { $0.name == "Authorization" }?.value
        let signature = authorization?.split(separator: "Signature=").last.map(String.init)
        return [credentials.accessKeyID, credentials.secretAccessKey, credentials.sessionToken, signature]
            .compactMap(\.self)
    }

    private func credentials() async throws(ServiceFailure) -> Credentials? {
        do {
            let credentials = try await configuration.credentials.credentials()
            try credentials?.check()
            return credentials
        } catch {
            throw ServiceFailure(error)
        }
    }

    /// Renews refused credentials; false if there are no others. A signature that was refused says more than why they could not
    /// be renewed.
    ///
    /// Another call may already have renewed them, so the source is asked before it is invalidated. Only one call at a time
    /// does this: a later one would discard the keys that an earlier one has just fetched.
    private func renewCredentials(
        refused: Credentials?,
        after failure: ServiceFailure
    ) async throws(ServiceFailure) -> Bool {
        let source = configuration.credentials
        @Sendable func renew() async throws(CredentialsFailure) -> Credentials? {
            let current = try await source.credentials()
            guard Credentials.haveSameKeys(current, refused) else { return current }
            source.invalidate()
            return try await source.credentials()
        }
        do {
            return !Credentials.haveSameKeys(try await renewal.value(renew), refused)
        } catch {
            if failure.kind == .clockSkew, error.kind != .cancelled { return false }
            throw ServiceFailure(error)
        }
    }
}
