import FoundationEssentials
import Glibc
import RecorderAWS

/// Tells systemd the state of a unit with `Type=notify`, by the datagrams that sd_notify(3) documents.
///
/// Does nothing where `NOTIFY_SOCKET` is not set.
package struct ServiceManager: Sendable {
    /// A path, or with `@` as its first character the name of an abstract socket; nil if no service manager waits.
    private let socketName: String?
    private let console: Console
    /// The name of the unit that this process belongs to, as in `kinesis-recorder-agent.service`; nil outside of systemd.
    let unit: String?

    init(_ environment: [String: String], console: Console) {
        let groups = environment["INVOCATION_ID"].flatMap { _ in
            try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)
        }
        unit = groups.flatMap { Self.unit(inControlGroups: $0) }
        socketName = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        self.console = console
    }

    /// The unit that /proc/PID/cgroup names: systemd gives each unit a control group of its name, and may divide that.
    package static func unit(inControlGroups text: String) -> String? {
        // Lines of ID, controllers and path: cgroups(7). systemd's own hierarchy has no controllers.
        let lines = text.split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }
        let line = lines.first { $0.count == 3 && ($0[1].isEmpty || $0[1] == "name=systemd") }
        let unit = line?[2].split(separator: "/").last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }
        // A scope is a session of a user.
        return unit.flatMap { $0.hasSuffix(".service") ? String($0) : nil }
    }

    /// The start is complete.
    func ready(_ status: String) {
        send("READY=1\n\(line(status))")
    }

    /// What `systemctl status` shows.
    func status(_ status: String) {
        send(line(status))
    }

    /// The orderly end has begun.
    func stopping() {
        send("STOPPING=1\n\(line("stopping"))")
    }

    private func line(_ status: String) -> String { "STATUS=\(Visible.line(status))" }

    private func send(_ message: String) {
        guard let socketName else { return }
        if let error = Self.send(message, to: socketName) {
            console.warning("NOTIFY_SOCKET is \(socketName), which cannot be written: \(String(errorNumber: error)).")
        }
    }

    /// How long a message waits for a service manager that reads nothing. It holds up the end of a command.
    private static let longestWait = 5

    /// Sends one datagram. Returns the number of an error, or nil.
    private static func send(_ message: String, to name: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = name.hasPrefix("@")
        guard isAbstract || name.hasPrefix("/") else { return EAFNOSUPPORT }
        // The name of an abstract socket begins with a zero byte, and has no such byte at its end.
        let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < capacity else { return ENAMETOOLONG }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sockaddr_un>.size - capacity + bytes.count + (isAbstract ? 0 : 1)
        let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard file >= 0 else { return errno }
        defer { close(file) }
        // Seconds and microseconds, a timeval.
        var wait = [longestWait, 0]
        _ = unsafe setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(2 * MemoryLayout<Int>.size))
        let text = Array(message.utf8)
        let sent = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe text.withUnsafeBytes { text in
                    unsafe sendto(
                        file,
                        text.baseAddress,
                        text.count,
                        Int32(MSG_NOSIGNAL),
                        address,
                        socklen_t(length)
                    )
                }
            }
        }
        return sent < 0 ? errno : nil
    }
}
