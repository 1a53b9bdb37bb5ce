import Foundation
import RecorderTestSupport

/// Two machines on a wire, as far as the network goes: a namespace for a client, one for a server, both of the test's own.
///
/// What is done to the wire concerns nobody else. Both go with this value; what a killed run left, the next one removes.
final class NetworkPair: Sendable {
    static let serverAddress = "192.0.2.2"
    private static let clientAddress = "192.0.2.1"

    private static let prefix = "recorder-test-"
    private let client: String
    private let server: String

    /// nil, with a word about it, where a namespace cannot be made.
    static func make() throws -> NetworkPair? {
        guard geteuid() == 0 else { return skip("namespaces can only be made as root") }
        guard try runTool("sh", "-c", "command -v ip >/dev/null") == 0 else { return skip("there is no ip command") }
        removeAbandoned()
        let pair = NetworkPair()
        for steps in pair.wiring where try runTool(["ip"] + steps) != 0 {
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

    private var wiring: [[String]] {
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

    /// What starts a program on the client's side.
    var asClient: [String] { ["ip", "netns", "exec", client] }

    /// A socket of this process on the server's side.
    func serverSocket() async throws -> LocalSocket {
        try await onThreadOfItsOwn { [server] in
            Result {
                // The thread alone moves there, and ends with this block.
                let place = open("/run/netns/\(server)", O_RDONLY | O_CLOEXEC)
                defer { close(place) }
                guard Self.enter(place) else { throw POSIXError(.EPERM) }
                return try LocalSocket.bound(to: Self.serverAddress)
            }
        }.get()
    }

    /// `setns`, which the C library shows to GNU sources only, with its CLONE_NEWNET.
    private static func enter(_ namespace: CInt) -> Bool {
        guard let setns = dlsym(nil, "setns") else { return false }
        return unsafeBitCast(setns, to: (@convention(c) (CInt, CInt) -> CInt).self)(namespace, 0x4000_0000) == 0
    }

    /// A way in which a network goes away.
    enum Loss: String, CaseIterable, Sendable {
        /// The cable is pulled on the client's side.
        case linkDown
        /// Each side knows that there is no way to the other.
        case unreachable
        /// What is sent goes to nobody, and no word of it comes back.
        case dropped
    }

    func begin(_ loss: Loss) throws { try change(loss, begins: true) }

    func end(_ loss: Loss) throws { try change(loss, begins: false) }

    private func change(_ loss: Loss, begins: Bool) throws {
        if loss == .linkDown { return try ip(client, ["link", "set", "wire", begins ? "down" : "up"]) }
        for (side, other) in [(client, Self.serverAddress), (server, Self.clientAddress)] {
            let nobody = ["lladdr", "02:00:00:00:00:99", "dev", "wire"]
            switch loss {
            case .linkDown: break
            case .unreachable: try ip(side, ["route", begins ? "add" : "delete", "unreachable", other])
            case .dropped where begins: try ip(side, ["neighbour", "replace", other] + nobody)
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
