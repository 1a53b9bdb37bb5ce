import Foundation

/// The host of an address, in the one form that every reader understands alike.
///
/// libcurl reads `0127.0.0.1` as 87.0.0.1, and `0x7f.1`, `127.1` and `2130706433` as 127.0.0.1; other programs read them in
/// other ways, or as names. A check of such a text says nothing about where the connection goes, so only four decimal
/// numbers without leading zeros are an address of version 4. One of version 6 is parsed, and written anew.
enum HostName {
    /// The host in lower case, version 6 in brackets and in its shortest form; nil if this is no host.
    ///
    /// Throws for an address of version 4 in an unusual spelling, with an error that says how to write it.
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
                "\"\(Legible.text(lowercased, limit: 200))\" is not a host: write an IP address as four decimal numbers "
                    + "from 0 to 255 without leading zeros, as in 127.0.0.1."
            )
        }
        return lowercased
    }

    /// Whether this is an address of version 4 that loops back.
    static func isLoopback4(_ host: String) -> Bool { isVersion4(host) && host.hasPrefix("127.") }

    private static func isVersion4(_ host: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1
    }

    /// No top-level domain is a number, so readers of addresses take such a host for one of version 4.
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
