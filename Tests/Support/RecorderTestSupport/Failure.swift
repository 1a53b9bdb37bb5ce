/// The error that `body` throws, nil if it throws none.
public func failure<T>(
    isolation: isolated (any Actor)? = #isolation,
    of body: () async throws -> T
) async -> (any Error)? {
    do {
        _ = try await body()
        return nil
    } catch {
        CanaryRun.show(error)
        return error
    }
}
