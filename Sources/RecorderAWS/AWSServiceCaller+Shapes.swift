import Foundation
import RecorderHTTP

extension AWSServiceCaller {
    /// Answers may hold ten MiB of records in base64, and what stands around each.
    private static let largestAnswer = 32 << 20

    /// Calls one operation with the shapes of the service model.
    func call<Input: WireShape, Output: WireShape>(
        _ operation: String,
        _ input: Input
    ) async throws(ServiceFailure) -> Output {
        try await call(operation, body: input.json, as: Output.self)
    }

    /// Calls one operation, and reads the answer as a shape of the service model.
    package func call<Output: WireShape>(
        _ operation: String,
        body: [UInt8],
        as output: Output.Type
    ) async throws(ServiceFailure) -> Output {
        let response = try await call(operation, body: body, maximumResponseBytes: Self.largestAnswer)
        guard !response.body.isEmpty else { return .blank() }
        do throws(WireMismatch) {
            return try Output.read(try Self.json(response.body))
        } catch {
            let place = error.path.isEmpty ? "The answer" : error.path
            throw ServiceFailure(
                .unreadable,
                message: "\(operation): \(place) is not \(error.expected) (\(response.body.count) bytes came).",
                requestID: response.header("x-amzn-RequestId").map { Legible.text($0, limit: 128) }
            )
        }
    }

    private static func json(_ body: [UInt8]) throws(WireMismatch) -> Any {
        do {
            return try JSONSerialization.jsonObject(with: Data(body))
        } catch {
            throw WireMismatch(expected: "JSON")
        }
    }
}
