public import AWSCore
public import Foundation
public import RecorderAWS

/// The operations of Data Firehose, each as a task and with a completion handler.
///
/// ```swift
/// let request = AWSFirehoseListDeliveryStreamsInput()!
/// AWSFirehose.default().listDeliveryStreams(request) { output, error in
///     print(output?.deliveryStreamNames ?? [], error as Any)
/// }
/// ```
/// Blocks and completion handlers run on threads of their own. Errors are `NSError`s: the service's in
/// ``AWSFirehoseErrorDomain``, those that every service has in `AWSServiceErrorDomain`, and calls without an answer in
/// `NSURLErrorDomain`. Safe to use from any thread; calls run side by side, and each is tried again as the configuration
/// says.
public final class AWSFirehose: NSObject, AWSRegisteredClient, Sendable {
    private static let registry = ClientRegistry("AWSFirehose", .firehose, .firehose) { AWSFirehose($0, $1) }

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
    public static func `default`() -> AWSFirehose {
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
    public static func registeredClient(forKey key: String) -> AWSFirehose {
        registry.client(forKey: key)
    }

    /// The Swift 2 spelling of `default()`.
    @available(*, deprecated, renamed: "default()")
    public static func defaultFirehose() -> AWSFirehose {
        registry.shared
    }
}

// The class hides the module of its name, so `AWSFirehose.FirehoseClient` is looked up here.
extension AWSFirehose {
    /// The client with `async` operations.
    public typealias FirehoseClient = RecorderAWS.FirehoseClient

    /// The structures inside its inputs and outputs.
    public typealias FirehoseClientTypes = RecorderAWS.FirehoseClientTypes

    /// What its `putRecord(input:)` takes.
    public typealias PutRecordInput = RecorderAWS.FirehoseClientTypes.PutRecordInput

    /// What its `putRecord(input:)` gives.
    public typealias PutRecordOutput = RecorderAWS.FirehoseClientTypes.PutRecordOutput
}
