package import RecorderAWS

/// The credentials that tests sign with, unless a test needs its own. `Scripts/canary` searches for them in everything
/// that a run of the whole suite prints and writes.
package enum Canary {
    /// The access key ID, which may appear only in requests.
    package static let accessKey = "AKIDCANARYEXAMPLE0AB"

    /// The secret key, as long as a real one, with characters that JSON, URLs and XML escape.
    package static let secret = "canary/Secret+0123456789/ABCDEFGHIJKLMNO"

    /// The session token of temporary credentials.
    package static let token = "canaryToken//0123456789+ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=="

    /// The password of a proxy, with characters that must be escaped in a URL.
    package static let proxyPassword = "canaryProxy/Word#0123456789"

    /// All three together, for signing requests.
    package static let credentials = Credentials(accessKeyID: accessKey, secretAccessKey: secret, sessionToken: token)
}
