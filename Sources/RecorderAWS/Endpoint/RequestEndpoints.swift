import RecorderConcurrency

/// The endpoints of a client's requests. Each is found once. Safe to use from any thread.
final class RequestEndpoints: Sendable {
    private struct Key: Hashable {
        let operation: String
        let context: EndpointContext
        let accountID: String?
        let isSigned: Bool
    }

    private let standard: Endpoint
    private let found = Locked<[Key: Endpoint]>([:])

    /// A program may use any number of streams.
    private static let capacity = 256

    /// The endpoints of a client that was configured with this one.
    init(_ standard: Endpoint) {
        self.standard = standard
    }

    /// The endpoint of a request that is signed with these credentials, or not signed.
    func endpoint(
        of operation: String,
        context: EndpointContext,
        signedWith credentials: Credentials?
    ) throws(ConfigurationFailure) -> Endpoint {
        guard let rules = standard.rules else { return standard }
        let key = Key(
            operation: operation,
            context: context,
            accountID: credentials?.accountID,
            isSigned: credentials != nil
        )
        if let endpoint = found.withLock({ $0[key] }) { return endpoint }
        let endpoint = try rules.endpoint(
            of: operation,
            context: context,
            accountID: key.accountID,
            isSigned: key.isSigned
        )
        found.withLock { found in
            if found.count >= Self.capacity { found.removeAll(keepingCapacity: true) }
            found[key] = endpoint
        }
        return endpoint
    }
}
