// swift-format-ignore-file
// Written after programs that moved to Swift 6 and kept the SDK's tasks: who the user is, loggers, clients.
import AWSCognito
import AWSFirehose
import AWSKinesis

/// A provider of logins whose token comes from `async` code.
public final class AsyncTokens: NSObject, AWSIdentityProviderManager, Sendable {
    private let provider: String
    private let token: @Sendable () async throws -> String

    public init(provider: String, token: @escaping @Sendable () async throws -> String) {
        self.provider = provider
        self.token = token
    }

    public func logins() -> AWSTask<NSDictionary> {
        let (provider, token) = (provider, token)
        return AWSTask { [provider: try await token()] as NSDictionary }
    }
}

/// A credentials provider whose keys come from `async` code.
public final class AsyncKeys: NSObject, AWSCredentialsProvider, Sendable {
    public func credentials() -> AWSTask<AWSCredentials> {
        AWSTask {
            await Task.yield()
            return AWSCredentials(accessKey: "AKIAASYNC", secretKey: "secret", sessionKey: nil, expiration: nil)
        }
    }

    public func invalidateCachedTemporaryCredentials() {}
}

/// A helper with a backend's identity.
public final class ModernHelper: AWSCognitoCredentialsProviderHelper, @unchecked Sendable {
    public override func token() -> AWSTask<NSString> {
        AWSTask(result: "modern-token")
    }
}

/// A logger that counts, safe on any thread.
public final class CountingLogger: AWSDDAbstractLogger, @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    public override func log(message logMessage: AWSDDLogMessage) {
        lock.withLock { count += 1 }
    }

    public var messages: Int { lock.withLock { count } }
}

/// The byte threshold as a stream of numbers.
public func thresholds(of recorder: AWSKinesisRecorder) -> AsyncStream<Int> {
    AsyncStream { continuation in
        let observer = NotificationCenter.default.addObserver(forName: .AWSKinesisRecorderByteThresholdReached, object: recorder, queue: nil) { note in
            let used = note.userInfo?[AWSKinesisRecorderByteThresholdReachedNotificationDiskBytesUsedKey] as? Int
            continuation.yield(used ?? 0)
        }
        nonisolated(unsafe) let token = observer
        continuation.onTermination = { _ in NotificationCenter.default.removeObserver(token) }
    }
}

/// The service client with its task awaited.
public func putAwaited(_ text: String, to stream: String) async throws -> String? {
    let request = AWSKinesisPutRecordInput()!
    request.streamName = stream
    request.partitionKey = "key"
    request.data = Data(text.utf8)
    return try await AWSKinesis.default().putRecord(request).value?.shardId
}

/// The service client's completion handler, in a continuation.
public func putBatchAwaited(_ texts: [String], to stream: String) async throws -> Int {
    let request = AWSFirehosePutRecordBatchInput()!
    request.deliveryStreamName = stream
    request.records = texts.map {
        let record = AWSFirehoseRecord()!
        record.data = Data($0.utf8)
        return record
    }
    return try await withCheckedThrowingContinuation { continuation in
        AWSFirehose.default().putRecordBatch(request) { output, error in
            if let error { return continuation.resume(throwing: error) }
            continuation.resume(returning: output?.failedPutCount?.intValue ?? -1)
        }
    }
}
