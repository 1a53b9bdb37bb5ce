package import RecorderAWS
import RecorderHTTP

extension AWSServiceCaller {
    /// `GetRecords` returns up to 10 MiB of records, in base64 and with the fields around each.
    private static let maximumShapeBytes = 32 << 20

    /// Calls an operation and decodes the response as a shape of the service model.
    package func call<Output: WireShape>(
        _ request: CallRequest,
        as output: Output.Type
    ) async throws(ServiceFailure) -> Output {
        var request = request
        request.maximumResponseBytes = Self.maximumShapeBytes
        let response = try await call(request)
        guard !response.body.isEmpty else { return .blank() }
        do throws(WireMismatch) {
            guard let json = JSONValue(response.body) else { throw WireMismatch(expected: "JSON") }
            return try Output.read(json)
        } catch {
            let path = error.path.isEmpty ? "The response" : error.path
            throw ServiceFailure(
                .unreadable,
                message:
                    "\(request.operation): \(path) is not \(error.expected) (\(response.body.count) bytes received).",
                requestID: response.header("x-amzn-RequestId")?.sanitized(limit: 128)
            )
        }
    }
}
