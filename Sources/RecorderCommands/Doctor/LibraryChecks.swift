import Glibc
import LineRecords
import RecordFormats
import RecorderAWS
import RecorderHTTP
import RecorderSQLite

/// Checks the versions of the C libraries that this process has loaded. README lists the same minimums.
package struct LibraryChecks: Sendable {
    package struct Library: Sendable {
        package let name: String
        let version: String
        /// The oldest version that has everything that is called.
        package let minimum: String

        package init(_ name: String, version: String, minimum: String) {
            self.name = name
            self.version = version
            self.minimum = minimum
        }

        var isTooOld: Bool { Self.numbers(of: version).lexicographicallyPrecedes(Self.numbers(of: minimum)) }

        private static func numbers(of version: String) -> [Int] {
            version.split { !("0"..."9").contains($0) }.compactMap { Int($0) }
        }
    }

    package static let loaded = LibraryChecks([
        Library("SQLite", version: sqliteLibraryVersion, minimum: "3.37"),
        Library("libcurl", version: CurlLibrary.version, minimum: "7.73"),
        Library("OpenSSL", version: openSSLLibraryVersion, minimum: "3.0"),
        Library("PCRE2", version: pcre2LibraryVersion, minimum: "10.30"),
        Library("glibc", version: glibcVersion, minimum: "2.28"),
    ])

    package let libraries: [Library]

    package init(_ libraries: [Library]) {
        self.libraries = libraries
    }

    package var findings: [Finding] {
        let known = libraries.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
        let tooOld = libraries.filter(\.isTooOld).map {
            Finding.failure(
                "libraries",
                text: "\($0.name) \($0.version) is too old",
                advice: "Install \($0.name) \($0.minimum) or later, or a later release of the system.",
                status: .configuration
            )
        }
        return tooOld.isEmpty ? [.ok("libraries", text: known)] : tooOld
    }

    private static var glibcVersion: String {
        var text = [CChar](repeating: 0, count: 64)
        // "glibc 2.36" and a zero.
        let length = unsafe confstr(CInt(_CS_GNU_LIBC_VERSION), &text, text.count)
        let version = text.prefix(max(length, 1) - 1).drop { $0 != CChar(UInt8(ascii: " ")) }.dropFirst()
        return String(decoding: version.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
