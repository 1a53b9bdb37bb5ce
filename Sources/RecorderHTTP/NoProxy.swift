import FoundationEssentials
import Glibc

/// Converts `no_proxy` for libcurl.
///
/// libcurl compares only names and addresses, without ports and without the brackets of IPv6. It would send a request for
/// `[::1]:4566` to the proxy although the list contains exactly that.
enum NoProxy {
    /// The list for the host of a URL, from the environment; nil if libcurl reads the environment's list correctly.
    static func list(for url: String) -> String? {
        // In libcurl's order. An empty variable counts as missing.
        guard let list = variable("no_proxy") ?? variable("NO_PROXY"), list.contains(":") else { return nil }
        let address = URLComponents(string: url)
        let port = address?.port ?? (address?.scheme == "http" ? 80 : 443)
        return list.split { ", \t".contains($0) }.compactMap { host(of: $0, port: "\(port)") }.joined(separator: ",")
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The host of an entry without brackets; nil if the entry is for another port.
    private static func host(of entry: Substring, port: String) -> String? {
        let parts: [Substring]
        if entry.first == "[", let end = entry.lastIndex(of: "]") {
            parts = [entry[..<end].dropFirst(), entry[end...].dropFirst().drop { $0 == ":" }]
        } else {
            parts = entry.split(separator: ":", omittingEmptySubsequences: false)
        }
        // Several colons without brackets belong to an IPv6 address.
        guard parts.count == 2 else { return String(entry) }
        return parts[1].isEmpty || parts[1] == port ? String(parts[0]) : nil
    }
}
