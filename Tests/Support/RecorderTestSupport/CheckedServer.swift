import Foundation
import RecorderAWS
import RecorderHTTP

/// A local AWS service that checks every call: MiniStack, in a child process.
///
/// It checks signatures, their time and permissions down to the stream's ARN, and knows the streams `guarded`, `forbidden`
/// and `members`; see `Tests/Support/LocalService/checked_service.py`. It ends with this object, or at the latest with
/// this process.
package final class CheckedServer: Sendable {
    /// The resources that the service was set up with.
    package struct SetUp: Decodable, Sendable {
        /// An identity pool that allows guests.
        package let poolId: String
        /// Their role, which may put records into `guarded`.
        package let guestRole: String
        /// The keys of a user who may do the same.
        package let user: MotoServer.Keys
        /// An identity that a backend authenticated, with its token.
        package let developer: Developer
    }

    /// What a backend returns for a user whom it authenticated.
    package struct Developer: Codable, Sendable {
        package let identityId: String
        package let token: String
    }

    /// One request that the service received; `request_log.py` describes the fields.
    package struct LoggedRequest: Decodable, Sendable {
        package let operation: String
        package let logins: [String: String]
        package let identityId: String?
        package let signer: String?
        package let signedIn: Bool
        package let isCBOR: Bool
    }

    /// Where the service listens, such as `http://127.0.0.1:40123`.
    package let url: String

    /// The resources that the service was set up with.
    package let setUp: SetUp

    private let child: MotoProcess

    /// Starts a service and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - host: the loopback address to listen on, an IPv6 address in brackets.
    ///   - clockAhead: seconds by which the service's clock is ahead; if not 0, its answers have no Date header.
    /// - Throws: `MotoFailure` when there is no Python with MiniStack or the service does not start.
    package init(on host: String = LocalSocket.loopbackHost, clockAhead: Int = 0) async throws {
        let address = host.filter { !"[]".contains($0) }
        let arguments = ["--host", address, "--clock-ahead", "\(clockAhead)"]
        child = try MotoProcess("checked_service.py", arguments: arguments)
        // "ready PORT {set-up}"
        let words = try await child.firstLine().split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0] == "ready" else {
            throw MotoFailure("the checked service did not start; standard error says why")
        }
        url = "http://\(host):\(words[1])"
        setUp = try JSONDecoder().decode(SetUp.self, from: Data(words[2].utf8))
        CanaryRun.note(secret: setUp.user.secretAccessKey)
    }

    /// The requests so far, in order.
    package func requests() async throws -> [LoggedRequest] {
        let request = HTTPRequest(
            method: .get,
            url: "\(url)/recorder-test/log",
            maximumResponseBytes: 1 << 30,
            usesEnvironmentProxy: false
        )
        let response = try await CurlTransport.shared.send(request)
        return try JSONDecoder().decode([LoggedRequest].self, from: Data(response.body))
    }

    /// The account that shares the stream `shared` with the user.
    package static let otherAccount = "111122223333"

    /// The records of a stream as texts, read with the keys of the account's owner.
    package func records(of stream: String, account: String = "test") async throws -> [String] {
        struct Iterator: Decodable { let ShardIterator: String }
        struct Records: Decodable {
            struct Record: Decodable { let Data: Data }
            let Records: [Record]
        }
        let caller = AWSServiceCaller(
            .kinesis,
            configuration: CallConfiguration(
                region: try Region("us-east-1"),
                endpoint: try Endpoint(url: url),
                credentials: StaticCredentials(Credentials(accessKeyID: account, secretAccessKey: "test"))
            )
        )
        let start =
            #"{"StreamName":"\#(stream)","ShardId":"shardId-000000000000","ShardIteratorType":"TRIM_HORIZON"}"#
        let place = try await caller.call("GetShardIterator", body: Array(start.utf8))
        let iterator = try JSONDecoder().decode(Iterator.self, from: Data(place.body)).ShardIterator
        let answer = try await caller.call("GetRecords", body: Array(#"{"ShardIterator":"\#(iterator)"}"#.utf8))
        return try JSONDecoder().decode(Records.self, from: Data(answer.body)).Records
            .map { String(decoding: $0.Data, as: UTF8.self) }
    }

    /// Stops the service and returns once it has exited.
    package func stop() async {
        await child.stop()
    }
}
