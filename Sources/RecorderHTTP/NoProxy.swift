import Foundation

/// `no_proxy` as libcurl understands it, for one request.
///
/// libcurl compares whole names and addresses: it knows neither ports nor the brackets of IPv6, and would send a request for
/// `[::1]:4566` to the proxy although the list has just that.
enum NoProxy {
    /// The list for an address, from the environment; nil if libcurl reads it right by itself.
    static func list(for url: String) -> String? {
        // In libcurl's order; an empty one counts as none.
        guard let list = variable("no_proxy") ?? variable("NO_PROXY"), list.contains(":") else { return nil }
        let address = URLComponents(string: url)
        let port = address?.port ?? (address?.scheme == "http" ? 80 : 443)
        return list.split { ", \t".contains($0) }.compactMap { host(of: $0, port: "\(port)") }.joined(separator: ",")
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// An entry's host without brackets; nil if it is for another port.
    private static func host(of entry: Substring, port: String) -> String? {
        let parts: [Substring]
        if entry.first == "[", let end = entry.lastIndex(of: "]") {
            parts = [entry[..<end].dropFirst(), entry[end...].dropFirst().drop { $0 == ":" }]
        } else {
            parts = entry.split(separator: ":", omittingEmptySubsequences: false)
        }
        // More colons, and no brackets, are those of an address.
        guard parts.count == 2 else { return String(entry) }
        return parts[1].isEmpty || parts[1] == port ? String(parts[0]) : nil
    }
}
