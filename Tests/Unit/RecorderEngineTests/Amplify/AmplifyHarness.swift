import RecorderAWS
import RecorderStore
import RecorderTestSupport

extension PipelineHarness {
    /// A harness with the policy of the Amplify clients.
    init(
        amplify service: StreamServiceDescription,
        maxRetries: Int = 5,
        cacheBytes: Int = 5 * 1_024 * 1_024,
        to server: LocalServer? = nil,
        in directory: TemporaryDirectory? = nil,
        _ adjust: (inout RecorderPolicy) -> Void = { _ in },
        calling configure: @escaping @Sendable (inout CallConfiguration) -> Void = { _ in }
    ) throws {
        try self.init(
            service,
            to: server,
            in: directory,
            { policy in
                policy = .amplify(service, cacheBytes: cacheBytes, maxRetries: maxRetries)
                adjust(&policy)
            },
            calling: configure
        )
    }
}
