import RecorderConcurrency

/// How the body of a request is encoded.
package enum RequestFormat: Sendable, Hashable, CaseIterable {
    /// `application/x-amz-json-1.1`: bytes are base64 text.
    case json
    /// `application/x-amz-cbor-1.1`, which Kinesis understands: the same fields, and bytes are sent as they are.
    case cbor

    var contentType: String {
        switch self {
        case .json: "application/x-amz-json-1.1"
        case .cbor: "application/x-amz-cbor-1.1"
        }
    }
}

/// What the answers of endpoints have shown about requests in CBOR. One value serves the whole process, so that an endpoint
/// that does not understand them gets only one.
package final class CBOREndpoints: Sendable {
    /// The findings of this process.
    package static let shared = CBOREndpoints()

    private enum Finding { case understands, refuses }
    private let findings = Locked<[Endpoint: Finding]>([:])

    /// Nothing is known yet.
    package init() {}

    func refuses(_ endpoint: Endpoint) -> Bool { findings.withLock { $0[endpoint] == .refuses } }

    func understands(_ endpoint: Endpoint) -> Bool { findings.withLock { $0[endpoint] == .understands } }

    func noteUnderstood(by endpoint: Endpoint) {
        findings.withLock { if $0[endpoint] == nil { $0[endpoint] = .understands } }
    }

    /// Returns false if that was known.
    func noteRefused(by endpoint: Endpoint) -> Bool {
        findings.withLock { $0.updateValue(.refuses, forKey: endpoint) != .refuses }
    }
}

extension AWSServiceCaller {
    /// Whether the endpoint may understand requests in CBOR: true until it has shown that it does not.
    package var maySendCBOR: Bool { !configuration.cborEndpoints.refuses(configuration.endpoint) }

    /// The endpoint answered a request in CBOR as it should.
    package func noteCBORUnderstood() { configuration.cborEndpoints.noteUnderstood(by: configuration.endpoint) }

    /// Whether a failed request in CBOR is to be sent in JSON, because the endpoint does not understand CBOR; no other
    /// request to it is sent in CBOR then.
    ///
    /// Status 415 says so. A document in JSON, or one of two codes, says so only until the endpoint has understood a
    /// request: after that it has another cause.
    package func fallsBack(after failure: ServiceFailure) -> Bool {
        guard failure.status == 415 || !hasUnderstoodCBOR && failure.mayMeanFormat else { return false }
        noteCBORRefused("\(failure)")
        return true
    }

    /// Whether a request in CBOR that was answered in JSON is to be sent in JSON from now on.
    package func fallsBackAfterJSON() -> Bool {
        guard !hasUnderstoodCBOR else { return false }
        noteCBORRefused("It answered in JSON.")
        return true
    }

    private var hasUnderstoodCBOR: Bool { configuration.cborEndpoints.understands(configuration.endpoint) }

    private func noteCBORRefused(_ reason: String) {
        let endpoint = configuration.endpoint
        guard configuration.cborEndpoints.noteRefused(by: endpoint) else { return }
        RecorderLog.warning("\(endpoint) does not understand requests in CBOR; JSON is used from now on. \(reason)")
    }
}

extension ServiceFailure {
    fileprivate var mayMeanFormat: Bool {
        isJSON || status == 400 && ["UnknownOperationException", "SerializationException"].contains(code)
    }
}
