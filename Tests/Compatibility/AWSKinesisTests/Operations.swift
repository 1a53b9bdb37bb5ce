import AWSKinesis
import Foundation
import RecorderAWS
import Testing

/// One operation of a client, in terms of JSON: takes the body of a request, returns the decoded answer as JSON again.
struct Operation<Client: Sendable>: Sendable {
    let call: @Sendable (Client, Data) async throws -> [UInt8]
}

/// Makes an ``Operation`` of each form of method that the clients have.
enum Operations {
    static func modern<Client: Sendable, Input: WireShape, Output: WireShape>(
        _ method: @escaping @Sendable (Client) -> (Input) async throws -> Output
    ) -> Operation<Client> {
        Operation { client, body in try await method(client)(try read(body)).json }
    }

    static func task<Client: Sendable, Input: AWSRequest & WireShape, Output: AWSModel & WireShape>(
        _ method: @escaping @Sendable (Client) -> (Input) -> AWSTask<Output>
    ) -> Operation<Client> {
        Operation { client, body in try await method(client)(try read(body)).value?.json ?? [] }
    }

    static func task<Client: Sendable, Input: AWSRequest & WireShape>(
        _ method: @escaping @Sendable (Client) -> (Input) -> AWSTask<AnyObject>
    ) -> Operation<Client> {
        Operation { client, body in
            _ = try await method(client)(try read(body)).value
            return Array("{}".utf8)
        }
    }

    static func handler<Client: Sendable, Input: AWSRequest & WireShape, Output: AWSModel & WireShape>(
        _ method: @escaping @Sendable (Client) -> (Input, ((Output?, (any Error)?) -> Void)?) -> Void
    ) -> Operation<Client> {
        Operation { client, body in
            let input: Input = try read(body)
            return try await withCheckedThrowingContinuation { continuation in
                method(client)(input) { output, error in
                    continuation.resume(with: error.map(Result.failure) ?? .success(output?.json ?? []))
                }
            }
        }
    }

    static func handler<Client: Sendable, Input: AWSRequest & WireShape>(
        _ method: @escaping @Sendable (Client) -> (Input, (((any Error)?) -> Void)?) -> Void
    ) -> Operation<Client> {
        Operation { client, body in
            let input: Input = try read(body)
            return try await withCheckedThrowingContinuation { continuation in
                method(client)(input) { error in
                    continuation.resume(with: error.map(Result.failure) ?? .success(Array("{}".utf8)))
                }
            }
        }
    }

    private static func read<Shape: WireShape>(_ body: Data) throws -> Shape {
        try Shape.read(try #require(JSONValue(Array(body))))
    }
}
