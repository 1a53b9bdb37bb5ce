// swift-format-ignore-file
public import Logging
import Synchronization

public protocol Service: Sendable {
    func run() async throws
}

/// Runs services until it is asked to shut down.
public final class ServiceGroup: Sendable {
    private let services: [any Service]
    private let shutdown = Shutdown()

    public init(services: [any Service], logger: Logger) {
        self.services = services
    }

    public func run() async throws {
        try await Shutdown.$current.withValue(shutdown) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in services { group.addTask { try await service.run() } }
                try await group.waitForAll()
            }
        }
    }

    public func triggerGracefulShutdown() async { shutdown.begin() }
}

/// Cancels an operation when the group shuts down.
public func cancelWhenGracefulShutdown<Value: Sendable>(
    _ operation: @Sendable @escaping () async throws -> Value
) async rethrows -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            await Shutdown.current?.wait()
            return nil
        }
        // Of the wait, if that ends first; of the operation otherwise.
        var value = try await group.next() ?? nil
        group.cancelAll()
        if value == nil { value = try await group.next() ?? nil }
        return value!
    }
}

private final class Shutdown: Sendable {
    @TaskLocal static var current: Shutdown?

    private let begun = AsyncStream<Never>.makeStream()

    func begin() { begun.continuation.finish() }

    func wait() async { for await _ in begun.stream {} }
}
