import Glibc

/// The host of a URL, in a form that all programs read the same way.
///
/// libcurl reads `0127.0.0.1` as 87.0.0.1, and `0x7f.1`, `127.1` and `2130706433` as 127.0.0.1. Other programs read them
/// differently, or as names, so checking such a text says nothing about where the connection goes. Therefore an IPv4
/// address must be four decimal numbers without leading zeros, and an IPv6 address is parsed and formatted again.
enum HostName {
    /// The host in lower case, an IPv6 address in brackets and in its shortest form; nil if it is not a host.
    ///
    /// Throws for an IPv4 address in another notation, with a message that says how to write it.
    static func canonical(_ lowercased: String) throws(ConfigurationFailure) -> String? {
        if lowercased.hasPrefix("["), lowercased.hasSuffix("]") {
            return version6(String(lowercased.dropFirst().dropLast())).map { "[\($0)]" }
        }
        let isName = lowercased.unicodeScalars.allSatisfy {
            Endpoint.isLetterOrDigit($0) || "-._".unicodeScalars.contains($0)
        }
        guard !lowercased.isEmpty, isName else { return nil }
        guard !endsInNumber(lowercased) || isVersion4(lowercased) else {
            throw ConfigurationFailure(
                "\"\(lowercased.sanitized(limit: 200))\" is not a host: write an IP address as four decimal numbers "
                    + "from 0 to 255 without leading zeros, as in 127.0.0.1."
            )
        }
        return lowercased
    }

    /// Whether this is an IPv4 loopback address.
    static func isLoopback4(_ host: String) -> Bool { isVersion4(host) && host.hasPrefix("127.") }

    private static func isVersion4(_ host: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1
    }

    /// No top-level domain is a number, so programs read such a host as an IPv4 address.
    private static func endsInNumber(_ host: String) -> Bool {
        let last = host.split(separator: ".").last ?? ""
        return last.allSatisfy { ("0"..."9").contains($0) }
            || last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
    }

    private static func version6(_ text: String) -> String? {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        var form = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &form, socklen_t(form.count)) != nil else { return nil }
        return String(decoding: form.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
