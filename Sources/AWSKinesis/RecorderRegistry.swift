import RecorderConcurrency

/// Recorders by key, one registry a class.
final class RecorderRegistry<Recorder: AWSAbstractKinesisRecorder>: Sendable {
    private let recorders = Locked<[String: Recorder]>([:])

    subscript(key: String) -> Recorder? {
        get { recorders.withLock { $0[key] } }
        set { recorders.withLock { $0[key] = newValue } }
    }

    /// The recorder under a key, or the one that `make` gives, which is kept; nil if it gives none.
    func recorder(forKey key: String, orMake make: () -> Recorder?) -> Recorder? {
        if let known = self[key] { return known }
        guard let made = make() else { return nil }
        return recorders.withLock { recorders in
            let first = recorders[key] ?? made
            recorders[key] = first
            return first
        }
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
    /// The recorder registered under `key`, else one for the key's entry in `AWSInfo`; nil if there is neither.
    public init!(forKey key: String!) {
        guard let key, let recorder = Self.registeredRecorder(forKey: key) as? Self else { return nil }
        self = recorder
    }
}
