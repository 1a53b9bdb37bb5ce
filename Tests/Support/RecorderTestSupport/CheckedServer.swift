import Foundation

/// A local AWS service that checks every call: MiniStack, in a child process.
///
/// It checks signatures, their time and permissions down to the stream's ARN, and knows two streams, `guarded` and
/// `forbidden`; see `Tests/Support/LocalService/checked_service.py`. It ends with this object, or at the latest with
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

    /// Stops the service and returns once it has exited.
    package func stop() async {
        await child.stop()
    }
}
