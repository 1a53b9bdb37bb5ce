import AWSCore
import RecorderAWS
import RecorderConcurrency

/// A client class whose `init(forKey:)` gives the registered instance itself, not a new object.
public protocol AWSRegisteredClient {
    /// The client under a key; where nothing was registered, one whose calls fault and name the key.
    static func registeredClient(forKey key: String) -> Self
}

extension AWSRegisteredClient {
    /// The client registered under a key; where nothing was, one whose calls fault and name the key.
    public init(forKey key: String) {
        self = Self.registeredClient(forKey: key)
    }
}

/// The clients of one class: the shared one, and those under keys.
final class ClientRegistry<Client: Sendable>: Sendable {
    private let className: String
    private let service: AWSService
    private let errors: ServiceErrorTable
    private let make: @Sendable (ClientTasks, AWSServiceConfiguration?) -> Client
    private let clients = Locked<[String: Client]>([:])

    /// The clients' section in `AWSInfo`.
    private let section: String

    /// The client that all of the program shares.
    let shared: Client

    init(
        _ className: String,
        _ service: AWSService,
        _ errors: ServiceErrorTable,
        make: @escaping @Sendable (ClientTasks, AWSServiceConfiguration?) -> Client
    ) {
        self.className = className
        self.service = service
        self.errors = errors
        self.make = make
        section = String(className.dropFirst("AWS".count))
        shared = make(ClientTasks(.success(ServiceCallers(service, section: section, nil)), errors), nil)
    }

    func register(_ configuration: AWSServiceConfiguration, forKey key: String) {
        guard let copy = configuration.copy() as? AWSServiceConfiguration else { return }
        let client = make(ClientTasks(.success(ServiceCallers(service, section: section, copy)), errors), copy)
        clients.withLock { $0[key] = client }
    }

    func remove(forKey key: String) {
        clients.withLock { $0[key] = nil }
    }

    func client(forKey key: String) -> Client {
        if let client = clients.withLock({ $0[key] }) { return client }
        if let info = AWSInfo.default().serviceInfo(section, forKey: key) {
            register(info.configuration, forKey: key)
            if let client = clients.withLock({ $0[key] }) { return client }
        }
        let failure = ConfigurationFailure(
            "There is no \(className) client under the key \"\(Legible.text(key, limit: 64))\": call "
                + "\(className).register(with:forKey:) before \(className)(forKey:)."
        )
        return make(ClientTasks(.failure(failure), errors), nil)
    }
}
