// swift-format-ignore-file
// Written after programs that moved to Swift 6: forms that need what later SDKs had.
import AWSCognito
import AWSKinesis

/// The service client's method as Swift imports its completion handler.
public func putImported(_ text: String, to stream: String) async throws -> String? {
    let request = AWSKinesisPutRecordInput()!
    request.streamName = stream
    request.partitionKey = "key"
    request.data = Data(text.utf8)
    let output: AWSKinesisPutRecordOutput = try await AWSKinesis.default().putRecord(request)
    return output.shardId
}

/// An OpenID Connect provider with a cast, in Swift 6 mode.
public final class ModernOIDCProvider: NSObject, AWSIdentityProviderManager, Sendable {
    private let name: String
    private let token: String

    public init(name: String, token: String) {
        self.name = name
        self.token = token
    }

    public func logins() -> AWSTask<NSDictionary> {
        let name = name
        return AWSTask<NSString>(result: token as NSString).continueOnSuccessWith { task -> AWSTask<NSDictionary>? in
            AWSTask(result: [name: task.result ?? ""])
        } as! AWSTask<NSDictionary>
    }
}
