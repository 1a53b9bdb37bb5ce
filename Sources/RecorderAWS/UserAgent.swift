import RecorderHTTP

/// What the client calls itself.
package enum UserAgent {
    /// The version of this package; the only place that knows it.
    package static let version = "0.1.0"

    /// Name, versions and system.
    package static let standard = "swift-aws-recorder/\(version) lib/curl/\(CurlLibrary.version) os/linux"

    /// The standard text followed by tokens of the user's.
    package static func with(tokens: [String]) -> String {
        ([standard] + tokens).joined(separator: " ")
    }
}
