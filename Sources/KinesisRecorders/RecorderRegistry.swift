import MobileFoundation
import RecorderAWS
import RecorderConcurrency
import RecorderConfiguration

/// The recorders of one class that are registered under keys.
final class RecorderRegistry<Recorder: AWSAbstractKinesisRecorder>: Sendable {
    typealias Make = @Sendable (RecorderIdentity, AWSServiceConfiguration) -> Recorder

    private let identity: @Sendable (_ key: String) -> RecorderIdentity
    private let make: Make
    private let recorders = Locked<[String: Recorder]>([:])

    init(_ identity: @escaping @Sendable (_ key: String) -> RecorderIdentity, make: @escaping Make) {
        self.identity = identity
        self.make = make
    }

    func register(_ configuration: AWSServiceConfiguration?, forKey key: String?) {
        guard let key, let configuration = configuration?.copy() as? AWSServiceConfiguration else {
            RecorderLog.warning("\(Recorder.self).register needs a configuration and a key; nothing was registered.")
            return
        }
        let recorder = make(identity(key), configuration)
        recorders.replace { $0[key] = recorder }
    }

    func remove(forKey key: String?) {
        guard let key else { return }
        recorders.replace { $0[key] = nil }
    }

    /// The recorder under a key, otherwise one for the key's entry in `AWSInfo`, which is registered; nil if there is
    /// neither.
    func recorder(forKey key: String) -> Recorder? {
        if let known = recorders.withLock({ $0[key] }) { return known }
        let identity = identity(key)
        guard let info = AWSInfo.default().serviceInfo(identity.infoSection, forKey: key) else { return nil }
        let new = make(identity, info.configuration)
        return recorders.withLock { recorders in
            let recorder = recorders[key] ?? new
            recorders[key] = recorder
            return recorder
        }
    }
}

/// A recorder class whose `init(forKey:)` returns the registered instance itself, not a new object.
///
/// A protocol's initializer may assign `self`, which a class's own may not. It must be the same object, because observers
/// filter notifications by the recorder that sent them.
public protocol AWSRegisteredRecorder {
    /// The recorder of this class that is registered under a key.
    static func registeredRecorder(forKey key: String) -> AWSAbstractKinesisRecorder?
}

extension AWSRegisteredRecorder {
    /// The recorder registered under `key`, otherwise one for the key's entry in `AWSInfo`; nil if there is neither.
    public init!(forKey key: String!) {
        guard let key, let recorder = Self.registeredRecorder(forKey: key) as? Self else { return nil }
        self = recorder
    }
}
