/// The calls of one client, for both services: its caller, made once, and errors as users of the clients know them.
package struct ClientCalls: Sendable {
    private let made: Result<AWSServiceCaller, ConfigurationFailure>

    /// Settings that cannot be used fail every call, not the making of the client.
    package init(_ service: AWSService, _ configuration: AWSClientConfiguration) {
        made = Result { () throws(ConfigurationFailure) in
            AWSServiceCaller(service, try configuration.callConfiguration(for: service))
        }
    }

    /// What sends the client's requests, so that others can send through it and share its retries' quota and its clock.
    package var caller: AWSServiceCaller {
        get throws(ConfigurationFailure) { try made.get() }
    }

    func call<Input: WireShape, Output: WireShape>(_ operation: String, _ input: Input) async throws -> Output {
        do {
            return try await ready().call(operation, input)
        } catch {
            throw error.clientError
        }
    }

    private func ready() throws(ServiceFailure) -> AWSServiceCaller {
        do {
            return try made.get()
        } catch {
            throw ServiceFailure(.configuration(error), message: error.message)
        }
    }
}
