import RecordClientFoundation
public import ServiceClientHTTP

/// An engine that adds Amplify's name and version to each request's `User-Agent` and passes it to another engine.
///
/// `AmplifyKinesisClient` and `AmplifyFirehoseClient` do this without it.
public struct UserAgentClientEngine: HTTPClient {
    private let target: any HTTPClient
    private let suffix: String

    /// An engine around another one.
    ///
    /// - Parameters:
    ///   - target: Sends the requests.
    ///   - additionalMetadata: Names to append after `lib/amplify-swift#<version>`, such as `md/amplify-kinesis`, each
    ///     as `<name>#<version>`. The version is always `AmplifyMetadata.version`.
    public init(target: any HTTPClient, additionalMetadata: [String] = []) {
        self.target = target
        let names = ["lib/\(AmplifyMetadata.platformName)"] + additionalMetadata
        suffix = names.map { "\($0)#\(AmplifyMetadata.version)" }.joined(separator: " ")
    }

    /// Sends the request with the extended `User-Agent`. Throws the errors of the other engine.
    public func send(request: HTTPRequest) async throws -> HTTPResponse {
        let words = [request.headers.value(for: "User-Agent"), suffix].compactMap(\.self)
        request.headers.update(name: "User-Agent", value: words.joined(separator: " "))
        return try await target.send(request: request)
    }
}
