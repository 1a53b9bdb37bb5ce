package import Foundation
import RecorderAWS
import RecorderHTTP

/// A local AWS service in a child process: Kinesis, Firehose and S3 by moto.
///
/// Its source is in `Tests/Support/LocalService`. A stream's name can request faults, see `puts.py`: the first two
/// requests to `orders-throttle-2` fail every record. Streams exist until the service ends, so each test creates
/// its own. The service ends with this object, or at the latest with this process.
package final class MotoServer: Sendable {
    /// One access key of the service.
    package struct Keys: Decodable, Sendable {
        package let accessKeyId: String
        package let secretAccessKey: String
    }

    /// The users of a service that checks every call.
    package struct Users: Decodable, Sendable {
        /// May call Kinesis, Firehose and S3.
        package let allowed: Keys
        /// May call nothing.
        package let denied: Keys
        /// An identity pool whose guests may put records.
        package let poolId: String
    }

    /// The service's address, such as `http://127.0.0.1:40123`.
    package let url: String

    /// The users, if the service was started with `checkingAccess`; otherwise any key is accepted.
    package let users: Users?

    private let child: MotoProcess

    /// The service that all tests of this process share; it checks no access.
    package static func shared() async throws -> MotoServer {
        try await sharedStart.value
    }

    private static let sharedStart = Task { try await MotoServer() }

    /// Starts a service and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - checkingAccess: whether signatures and permissions are checked.
    ///   - port: the port to listen on, such as that of a stopped service; 0 picks a free one.
    /// - Throws: `MotoFailure` when there is no Python with moto or the service does not start.
    package init(checkingAccess: Bool = false, port: Int = 0) async throws {
        child = try MotoProcess(arguments: ["--port", "\(port)"] + (checkingAccess ? ["--auth"] : []))
        // "ready PORT" or "ready PORT {users}"
        let words = try await child.firstLine().split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "ready" else {
            throw MotoFailure("the local service did not start; standard error says why")
        }
        url = "http://127.0.0.1:\(words[1])"
        users = words.count == 3 ? try JSONDecoder().decode(Users.self, from: Data(words[2].utf8)) : nil
        for keys in [users?.allowed, users?.denied] { keys.map { CanaryRun.note(secret: $0.secretAccessKey) } }
    }

    /// Stops the service and returns once it has exited and its port is closed.
    package func stop() async {
        await child.stop()
    }

    /// The account of the callers.
    package static let account = "123456789012"

    /// Creates a Kinesis stream, with the maximum size of its records, and whether it distributes them by itself.
    package func createStream(
        _ name: String,
        shards: Int = 1,
        maximumKiB: Int = 10_240,
        distributesRecords: Bool = false,
        account: String = account
    ) async throws {
        let strategy = distributesRecords ? "AUTO" : "USER_PARTITION_KEY"
        let settings = "maximum=\(maximumKiB)&strategy=\(strategy)&account=\(account)"
        _ = try await call(.post, "kinesis-stream?name=\(name)&shards=\(shards)&\(settings)")
    }

    /// Changes whether a Kinesis stream distributes records by itself.
    package func setDistributesRecords(_ distributes: Bool, of name: String) async throws {
        _ = try await call(
            .post,
            "kinesis-strategy?name=\(name)&strategy=\(distributes ? "AUTO" : "USER_PARTITION_KEY")"
        )
    }

    /// Creates a Firehose delivery stream into S3.
    package func createDeliveryStream(_ name: String) async throws {
        _ = try await call(.post, "firehose-stream?name=\(name)")
    }

    /// Creates a Cognito identity pool that allows guests, and returns its ID.
    package func createIdentityPool() async throws -> String {
        struct Pool: Decodable { let IdentityPoolId: String }
        let configuration = CallConfiguration(
            region: try Region("us-east-1"),
            endpoint: try Endpoint(url: url),
            credentials: StaticCredentials(Credentials(accessKeyID: Canary.accessKey, secretAccessKey: Canary.secret))
        )
        let body = Array(#"{"IdentityPoolName":"mobile","AllowUnauthenticatedIdentities":true}"#.utf8)
        let answer = try await AWSServiceCaller(.cognitoIdentity, configuration: configuration).call(
            "CreateIdentityPool",
            body: body
        )
        return try JSONDecoder().decode(Pool.self, from: Data(answer.body)).IdentityPoolId
    }

    /// The records of a Kinesis stream in the order they were stored.
    package func kinesisRecords(_ name: String, account: String = account) async throws -> [MotoRecord] {
        try await decode("kinesis-records?name=\(name)&account=\(account)")
    }

    /// The contents of a delivery stream in S3: its records one after the other, in the order they were stored.
    package func firehoseBytes(_ name: String) async throws -> [UInt8] {
        try await call(.get, "firehose-bytes?name=\(name)")
    }

    /// The put requests that named this stream, of either service, in the order they were answered.
    package func requests(_ name: String) async throws -> [MotoRequest] {
        try await decode("log?name=\(name)")
    }

    private func decode<Value: Decodable>(_ path: String) async throws -> Value {
        try await JSONDecoder().decode(Value.self, from: Data(call(.get, path)))
    }

    private func call(_ method: HTTPRequest.Method, _ path: String) async throws -> [UInt8] {
        let request = HTTPRequest(
            method: method,
            url: "\(url)/recorder-test/\(path)",
            maximumResponseBytes: 1 << 30,
            usesEnvironmentProxy: false
        )
        let response = try await CurlTransport.shared.send(request)
        guard response.status == 200 else {
            let text = String(decoding: response.body, as: UTF8.self)
            throw MotoFailure("\(method.rawValue) \(path) was answered \(response.status): \(text)")
        }
        return response.body
    }
}

/// One record as Kinesis stored it.
package struct MotoRecord: Decodable, Sendable, Equatable {
    package let data: Data
    package let partitionKey: String
    package let sequenceNumber: String
    package let shard: String
    package let firstHashKey: String
    package let lastHashKey: String

    /// Whether its shard holds a hash key.
    package func holds(_ hashKey: UInt128) -> Bool {
        guard let first = UInt128(firstHashKey), let last = UInt128(lastHashKey) else { return false }
        return (first...last).contains(hashKey)
    }

    /// The data as text.
    package var text: String { String(decoding: data, as: UTF8.self) }
}

/// One put request and how the service answered it.
package struct MotoRequest: Decodable, Sendable {
    /// `kinesis` or `firehose`.
    package let service: String
    /// `json` or `cbor`.
    package let format: String
    /// The ARN that names the stream; nil if the request has its name.
    package let arn: String?
    package let records: Int
    /// The records' bytes as the service counts them: data, and partition keys for Kinesis.
    package let bytes: Int
    /// The HTTP status of the answer.
    package let status: Int
    /// How many records failed; all of them when the request failed as a whole.
    package let failed: Int
    /// The error code of a request that failed as a whole.
    package let error: String?
    /// Seconds on the service's clock, to detect requests that overlapped.
    package let startedAt: Double
    package let endedAt: Double
}

/// Why the local service could not be used.
package struct MotoFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
