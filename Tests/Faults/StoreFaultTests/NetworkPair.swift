import Foundation
import RecorderTestSupport

/// Two network namespaces, one for a client and one for a server, connected by a virtual link.
///
/// Changes to the link do not affect the rest of the machine. Both namespaces are removed with this value; the next run
/// removes what a killed run has left.
final class NetworkPair: Sendable {
    static let serverAddress = "192.0.2.2"
    private static let clientAddress = "192.0.2.1"

    private static let prefix = "recorder-test-"
    private let client: String
    private let server: String

    /// nil, after printing the reason, if a namespace cannot be created.
    static func make() throws -> NetworkPair? {
        guard geteuid() == 0 else { return skip("only root can create namespaces") }
        guard try runTool("sh", "-c", "command -v ip >/dev/null") == 0 else { return skip("there is no ip command") }
        removeAbandoned()
        let pair = NetworkPair()
        for steps in pair.setUpCommands where try runTool(["ip"] + steps) != 0 {
            return skip("ip \(steps.joined(separator: " ")) failed")
        }
        return pair
    }

    private init() {
        client = "\(Self.prefix)\(getpid())-client"
        server = "\(Self.prefix)\(getpid())-server"
    }

    deinit {
        for name in [client, server] { _ = try? runTool("ip", "netns", "delete", name) }
    }

    private static func skip(_ reason: String) -> NetworkPair? {
        print("R13 skipped: \(reason).")
        return nil
    }

    private var setUpCommands: [[String]] {
        [
            ["netns", "add", client],
            ["netns", "add", server],
            ["-n", client, "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", server],
            ["-n", client, "address", "add", "\(Self.clientAddress)/24", "dev", "wire"],
            ["-n", server, "address", "add", "\(Self.serverAddress)/24", "dev", "wire"],
            ["-n", client, "link", "set", "wire", "up"],
            ["-n", server, "link", "set", "wire", "up"],
        ]
    }

    /// The command prefix that runs a program on the client's side.
    var asClient: [String] { ["ip", "netns", "exec", client] }

    /// A socket of this process on the server's side.
    func serverSocket() async throws -> LocalSocket {
        try await onDedicatedThread { [server] in
            Result {
                // Only this thread enters the namespace, and it ends with this block.
                let namespace = open("/run/netns/\(server)", O_RDONLY | O_CLOEXEC)
                defer { close(namespace) }
                guard Self.enter(namespace) else { throw POSIXError(.EPERM) }
                return try LocalSocket.bound(to: Self.serverAddress)
            }
        }.get()
    }

    /// `setns` with CLONE_NEWNET, which glibc declares for GNU sources only.
    private static func enter(_ namespace: CInt) -> Bool {
        guard let setns = dlsym(nil, "setns") else { return false }
        return unsafeBitCast(setns, to: (@convention(c) (CInt, CInt) -> CInt).self)(namespace, 0x4000_0000) == 0
    }

    /// A way to lose the network.
    enum Loss: String, CaseIterable, Sendable {
        /// The cable is pulled on the client's side.
        case linkDown
        /// Each side has no route to the other.
        case unreachable
        /// Packets are lost without an error.
        case dropped
    }

    func begin(_ loss: Loss) throws { try change(loss, begins: true) }

    func end(_ loss: Loss) throws { try change(loss, begins: false) }

    private func change(_ loss: Loss, begins: Bool) throws {
        if loss == .linkDown { return try ip(client, ["link", "set", "wire", begins ? "down" : "up"]) }
        for (side, other) in [(client, Self.serverAddress), (server, Self.clientAddress)] {
            let unusedAddress = ["lladdr", "02:00:00:00:00:99", "dev", "wire"]
            switch loss {
            case .linkDown: break
            case .unreachable: try ip(side, ["route", begins ? "add" : "delete", "unreachable", other])
            case .dropped where begins: try ip(side, ["neighbour", "replace", other] + unusedAddress)
            case .dropped: try ip(side, ["neighbour", "delete", other, "dev", "wire"])
            }
        }
    }

    private func ip(_ side: String, _ words: [String]) throws {
        guard try runTool(["ip", "-n", side] + words) == 0 else { throw POSIXError(.EINVAL) }
    }

    private static func removeAbandoned() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/run/netns")) ?? []
        for name in names where name.hasPrefix(prefix) {
            let process = name.dropFirst(prefix.count).split(separator: "-").first.flatMap { pid_t($0) } ?? 0
            if process > 0, kill(process, 0) != 0 { _ = try? runTool("ip", "netns", "delete", name) }
        }
    }
}
