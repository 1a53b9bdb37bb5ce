import MobileFoundation
import RecorderAWS
import RecorderConcurrency
import RecorderConfiguration

/// The clients of one class: the default client, and those registered under keys.
final class ClientRegistry<Client: Sendable>: Sendable {
    private let className: String
    private let service: AWSService
    private let errors: ServiceErrorTable
    private let make: @Sendable (ClientTasks, AWSServiceConfiguration?) -> Client
    private let clients = Locked<[String: Client]>([:])

    /// The clients' section in `AWSInfo`.
    private let section: String

    /// The client that the whole program shares.
    let shared: Client

    init(
        of className: String,
        service: AWSService,
        errors: ServiceErrorTable,
        make: @escaping @Sendable (ClientTasks, AWSServiceConfiguration?) -> Client
    ) {
        self.className = className
        self.service = service
        self.errors = errors
        self.make = make
        section = String(className.dropFirst("AWS".count))
        let callers = ServiceCallers(service, section: section, configuration: nil)
        shared = make(ClientTasks(callers: .success(callers), errors: errors), nil)
    }

    func register(_ configuration: AWSServiceConfiguration, forKey key: String) {
        guard let client = client(with: configuration) else { return }
        clients.withLock { $0[key] = client }
    }

    private func client(with configuration: AWSServiceConfiguration) -> Client? {
        guard let copy = configuration.copy() as? AWSServiceConfiguration else { return nil }
        let callers = ServiceCallers(service, section: section, configuration: copy)
        return make(ClientTasks(callers: .success(callers), errors: errors), copy)
    }

    func remove(forKey key: String) {
        clients.withLock { $0[key] = nil }
    }

    func client(forKey key: String) -> Client {
        if let client = clients.withLock({ $0[key] }) { return client }
        if let info = AWSInfo.default().serviceInfo(section, forKey: key), let new = client(with: info.configuration) {
            return clients.withLock { clients in
                let client = clients[key] ?? new
                clients[key] = client
                return client
            }
        }
        let failure = ConfigurationFailure(
            "There is no \(className) client under the key \"\(key.sanitized(limit: 64))\": call "
                + "\(className).register(with:forKey:) before \(className)(forKey:)."
        )
        return make(ClientTasks(callers: .failure(failure), errors: errors), nil)
    }
}

/// A client class whose `init(forKey:)` returns the registered object itself, not a new one.
public protocol AWSRegisteredClient {
    /// The client under a key. If none is registered, a client whose calls fault with an error that names the key.
    static func registeredClient(forKey key: String) -> Self
}

extension AWSRegisteredClient {
    /// The client under a key. If none is registered, a client whose calls fault with an error that names the key.
    public init(forKey key: String) {
        self = Self.registeredClient(forKey: key)
    }
}
