package import RecorderAWS

/// The keys that tests sign with, unless a test is about keys of its own. `Scripts/canary` looks for them in everything
/// that a run of the whole suite prints and writes.
package enum Canary {
    /// The public half; at home in requests alone.
    package static let accessKey = "AKIDCANARYEXAMPLE0AB"

    /// The secret half, as long as a real one, with characters that JSON, URLs and XML write in other ways.
    package static let secret = "canary/Secret+0123456789/ABCDEFGHIJKLMNO"

    /// The token of temporary keys.
    package static let token = "canaryToken//0123456789+ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=="

    /// The password of a proxy, with characters that an address may not have as they are.
    package static let proxyPassword = "canaryProxy/Word#0123456789"

    /// All three keys, for what signs requests.
    package static let credentials = Credentials(accessKeyID: accessKey, secretAccessKey: secret, sessionToken: token)
}
