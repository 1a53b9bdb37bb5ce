package import RecorderAWS

/// Makes the calls of one client: creates its caller once, and converts failures to errors for users.
package struct ClientCalls: Sendable {
    private let created: Result<AWSServiceCaller, ConfigurationFailure>

    /// If a setting is invalid, every call throws; creating the client does not.
    package init(to service: AWSService, configuration: AWSClientConfiguration) {
        do {
            let call = try configuration.callConfiguration(for: service)
            created = .success(AWSServiceCaller(service, configuration: call))
        } catch {
            created = .failure(error)
        }
    }

    /// Makes the calls through an existing caller.
    package init(by caller: AWSServiceCaller) {
        created = .success(caller)
    }

    /// The caller of the client. Requests sent through it share the client's retry quota and clock correction.
    package var caller: AWSServiceCaller {
        get throws(ConfigurationFailure) { try created.get() }
    }

    /// Calls an operation; `context` has the members of the input that its host depends on.
    package func call<Output: WireShape>(
        _ operation: String,
        input: some WireShape,
        context: EndpointContext = EndpointContext()
    ) async throws -> Output {
        switch created {
        case .success(let caller):
            do throws(ServiceFailure) {
                let request = CallRequest(operation, body: input.json, context: context)
                return try await caller.call(request, as: Output.self)
            } catch {
                throw error.clientError
            }
        case .failure(let failure):
            throw AWSClientError(.configuration, message: failure.message)
        }
    }
}

extension ServiceFailure {
    /// The failure as the error that users of the clients catch.
    package var clientError: any Error {
        switch kind {
        case .cancelled: return CancellationError()
        case .configuration(let failure): return AWSClientError(.configuration, message: failure.message)
        case .credentials(let failure):
            return AWSClientError(.credentials, message: failure.message, cause: failure.cause)
        case .transport: return AWSClientError(.noAnswer, message: message)
        case .unreadable: return AWSClientError(.unreadableAnswer, message: message)
        case .redirect, .throttled, .transient, .expiredCredentials, .denied, .clockSkew, .notFound, .invalidRequest,
            .other:
            break
        }
        if let type = code.flatMap({ modeledErrors[$0] }) {
            return type.init(message: message, requestID: requestID, statusCode: status)
        }
        return UnknownAWSHTTPServiceError(errorCode: code, message: message, requestID: requestID, statusCode: status)
    }
}
