// swift-format-ignore-file
// What the documents use of swift-service-lifecycle, so that `make snippets` compiles it without that package.

public protocol Service: Sendable {
    func run() async throws
}

public func cancelWhenGracefulShutdown<T: Sendable>(
    _ operation: @Sendable @escaping () async throws -> T
) async rethrows -> T {
    try await operation()
}
