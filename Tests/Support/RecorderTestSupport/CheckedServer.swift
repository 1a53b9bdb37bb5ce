import Foundation

/// The local AWS service of the tests that checks every call: MiniStack, in a child process.
///
/// It checks signatures, their time and permissions down to the stream's ARN, and knows two streams, `guarded` and
/// `forbidden`; see `Tests/Support/LocalService/checked_service.py`. It ends with this object, and at the latest with this
/// process.
package final class CheckedServer: Sendable {
    /// What the service was set up with.
    package struct SetUp: Decodable, Sendable {
        /// An identity pool that takes guests.
        package let poolId: String
        /// Their role, which may put records into `guarded`.
        package let guestRole: String
        /// The keys of a user who may do the same.
        package let user: MotoServer.Keys
    }

    /// Where the service listens, such as `http://127.0.0.1:40123`.
    package let url: String

    /// What the service was set up with.
    package let setUp: SetUp

    private let child: MotoProcess

    /// Starts a service and waits until it takes connections.
    ///
    /// - Parameters:
    ///   - host: the loopback address to listen on, that of version 6 in brackets.
    ///   - clockAhead: seconds by which the service's clock is ahead of this machine's; then its answers have no date.
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

    /// Ends the service and returns once it is gone.
    package func stop() async {
        await child.stop()
    }
}
