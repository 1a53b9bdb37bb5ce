public import AWSCore
public import Foundation
public import RecorderAWS

/// The operations of Kinesis Data Streams, each as a task and with a completion handler.
///
/// ```swift
/// let request = AWSKinesisDescribeStreamInput()!
/// request.streamName = "clicks"
/// AWSKinesis.default().describeStream(request).continueWith { task in
///     print(task.result?.streamDescription?.streamStatus == .active, task.error as Any)
///     return nil
/// }
/// ```
/// Blocks and completion handlers run on threads of their own. Errors are `NSError`s: the service's in
/// ``AWSKinesisErrorDomain``, those that every service has in `AWSServiceErrorDomain`, and calls without an answer in
/// `NSURLErrorDomain`. Safe to use from any thread; calls run side by side, and each is tried again as the configuration
/// says.
public final class AWSKinesis: NSObject, AWSRegisteredClient, Sendable {
    private static let registry = ClientRegistry("AWSKinesis", .kinesis, .kinesis) { AWSKinesis($0, $1) }

    /// What runs the operations.
    let tasks: ClientTasks

    /// What the client was made with; nil for the shared one, which takes what is set up at its first call.
    public let configuration: AWSServiceConfiguration!

    private init(_ tasks: ClientTasks, _ configuration: AWSServiceConfiguration?) {
        self.tasks = tasks
        self.configuration = configuration
    }

    /// The client that all of the program shares.
    ///
    /// What it calls with is looked up at its first call: `AWSServiceManager.default().defaultServiceConfiguration`, else
    /// the environment. If there is neither, calls fault.
    public static func `default`() -> AWSKinesis {
        registry.shared
    }

    /// Makes a client and keeps it under a key, in place of an older one.
    ///
    /// - Parameters:
    ///   - configuration: Where the service is and whose keys to use; copied.
    ///   - key: What `init(forKey:)` finds it by.
    public static func register(with configuration: AWSServiceConfiguration, forKey key: String) {
        registry.register(configuration, forKey: key)
    }

    /// Forgets the client under a key; those who hold it may go on.
    public static func remove(forKey key: String) {
        registry.remove(forKey: key)
    }

    /// The client under a key; where nothing was registered, one whose calls fault and name the key.
    public static func registeredClient(forKey key: String) -> AWSKinesis {
        registry.client(forKey: key)
    }

    /// The Swift 2 spelling of `default()`.
    @available(*, deprecated, renamed: "default()")
    public static func defaultKinesis() -> AWSKinesis {
        registry.shared
    }
}

// The class hides the module of its name, so `AWSKinesis.KinesisClient` is looked up here.
extension AWSKinesis {
    /// The client with `async` operations.
    public typealias KinesisClient = RecorderAWS.KinesisClient

    /// The structures inside its inputs and outputs.
    public typealias KinesisClientTypes = RecorderAWS.KinesisClientTypes

    /// What its `putRecord(input:)` takes.
    public typealias PutRecordInput = RecorderAWS.KinesisClientTypes.PutRecordInput

    /// What its `putRecord(input:)` gives.
    public typealias PutRecordOutput = RecorderAWS.KinesisClientTypes.PutRecordOutput
}
