import Foundation
import RecorderHTTP

extension AWSCaller {
    /// Answers may hold ten MiB of records in base64, and what stands around each.
    private static let largestAnswer = 32 << 20

    /// Calls one operation with the shapes of the service model, and reads the answer.
    package func call<Input: WireShape, Output: WireShape>(
        _ operation: String,
        _ input: Input,
        as output: Output.Type = Output.self
    ) async throws(ServiceFailure) -> Output {
        let response = try await send(operation, input)
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

    /// Calls an operation that answers with nothing but success.
    package func call<Input: WireShape>(_ operation: String, _ input: Input) async throws(ServiceFailure) {
        _ = try await send(operation, input)
    }

    private func send<Input: WireShape>(
        _ operation: String,
        _ input: Input
    ) async throws(ServiceFailure) -> HTTPResponse {
        let writer = WireWriter()
        input.write(to: writer)
        return try await call(operation, body: writer.bytes, maximumResponseBytes: Self.largestAnswer)
    }

    private static func json(_ body: [UInt8]) throws(WireMismatch) -> Any {
        do {
            return try JSONSerialization.jsonObject(with: Data(body))
        } catch {
            throw WireMismatch(expected: "JSON")
        }
    }
}
