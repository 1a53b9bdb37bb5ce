// swift-format-ignore-file
// Written after programs of Swift 3 to 5 and SDK 2.5 and later: what their tests replace.
import AWSKinesis

/// What a program uses of the recorder, so that tests can replace it.
public protocol RecordSaving {
    @discardableResult
    func saveRecord(_ data: Data!, streamName: String!) -> AWSTask<AnyObject>!
    @discardableResult
    func submitAllRecords() -> AWSTask<AnyObject>!
}

/// The recorder as it stands has these methods.
extension AWSKinesisRecorder: RecordSaving {}
extension AWSFirehoseRecorder: RecordSaving {}

/// The double of the tests.
public final class RecorderMock: RecordSaving {
    public private(set) var saved: [String] = []
    public private(set) var submits = 0
    public var error: Error?

    public init() {}

    public func saveRecord(_ data: Data!, streamName: String!) -> AWSTask<AnyObject>! {
        saved.append(String(data: data, encoding: .utf8) ?? "")
        return AWSTask(result: nil)
    }

    public func submitAllRecords() -> AWSTask<AnyObject>! {
        submits += 1
        if let error = error {
            return AWSTask(error: error)
        }
        return AWSTask(result: nil)
    }
}

/// The class under test, which takes either.
public final class Tracker {
    let recorder: RecordSaving
    let stream: String

    public init(recorder: RecordSaving, stream: String) {
        self.recorder = recorder
        self.stream = stream
    }

    public func track(_ name: String, completion: @escaping (Bool) -> Void) {
        recorder.saveRecord(name.data(using: .utf8), streamName: stream).continueOnSuccessWith { _ in
            return self.recorder.submitAllRecords()
        }.continueWith { task in
            completion(task.error == nil && !task.isCancelled)
            return nil
        }
    }
}

/// A credentials provider for tests that counts, and whose keys change once they were refused.
public final class CountingProvider: NSObject, AWSCredentialsProvider {
    private let lock = NSLock()
    public private(set) var calls = 0
    public private(set) var invalidations = 0

    public func credentials() -> AWSTask<AWSCredentials> {
        lock.lock()
        calls += 1
        let keys = AWSCredentials(accessKey: "AKIA\(invalidations)", secretKey: "secret", sessionKey: "token", expiration: Date(timeIntervalSinceNow: 3600))
        lock.unlock()
        return AWSTask(result: keys)
    }

    public func invalidateCachedTemporaryCredentials() {
        lock.lock()
        invalidations += 1
        lock.unlock()
    }
}

/// A provider that fails, as tests of an expired sign-in have.
public final class FailingProvider: NSObject, AWSCredentialsProvider {
    public func credentials() -> AWSTask<AWSCredentials> {
        return AWSTask(error: NSError(domain: "SignIn", code: 7, userInfo: [NSLocalizedDescriptionKey: "The session has ended."]))
    }

    public func invalidateCachedTemporaryCredentials() {}
}
