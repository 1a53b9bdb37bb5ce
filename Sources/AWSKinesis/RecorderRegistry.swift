import RecorderConcurrency

/// Recorders by key, one registry a class.
final class RecorderRegistry<Recorder: AWSAbstractKinesisRecorder>: Sendable {
    private let recorders = Locked<[String: Recorder]>([:])

    subscript(key: String) -> Recorder? {
        get { recorders.withLock { $0[key] } }
        set { recorders.withLock { $0[key] = newValue } }
    }
}

/// A recorder class whose `init(forKey:)` gives the registered instance itself, not a new object.
///
/// A protocol's initializer may assign `self`, which a class's own may not; observers filter notifications by the
/// recorder's identity, so it has to be the same object.
public protocol AWSRegisteredRecorder {
    /// The recorder registered under a key, of this class.
    static func registeredRecorder(forKey key: String) -> AWSAbstractKinesisRecorder?
}

extension AWSRegisteredRecorder {
    /// The recorder registered under `key`; nil if there is none.
    public init!(forKey key: String!) {
        guard let key, let recorder = Self.registeredRecorder(forKey: key) as? Self else { return nil }
        self = recorder
    }
}
