import Foundation
package import RecorderAWS
import RecorderHTTP

extension AWSServiceCaller {
    /// `GetRecords` returns up to 10 MiB of records, in base64 and with the fields around each.
    private static let maximumAnswerBytes = 32 << 20

    /// Calls one operation, and decodes the answer as a shape of the service model.
    package func call<Output: WireShape>(
        _ operation: String,
        body: [UInt8],
        as output: Output.Type
    ) async throws(ServiceFailure) -> Output {
        let response = try await call(operation, body: body, maximumResponseBytes: Self.maximumAnswerBytes)
        guard !response.body.isEmpty else { return .blank() }
        do throws(WireMismatch) {
            return try Output.read(try Self.json(response.body))
        } catch {
            let location = error.path.isEmpty ? "The answer" : error.path
            throw ServiceFailure(
                .unreadable,
                message: "\(operation): \(location) is not \(error.expected) (\(response.body.count) bytes came).",
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
