import RecorderAWS
import RecorderTestSupport

extension CredentialsSource {
    /// The failure of this source; nil if it has keys.
    func failure() async -> CredentialsFailure? {
        do throws(CredentialsFailure) {
            _ = try await credentials()
            return nil
        } catch {
            CanaryRun.show(self, error)
            return error
        }
    }
}

extension CredentialsFetcher {
    /// The failure of this fetcher; nil if it gets keys.
    func failure() async -> CredentialsFailure? {
        do throws(CredentialsFailure) {
            _ = try await fetch()
            return nil
        } catch {
            CanaryRun.show(self, error)
            return error
        }
    }
}

extension CredentialsContext {
    /// A fetcher of this context behind a cache, as the chain uses it.
    func source<Fetcher: CredentialsFetcher>(_ fetcher: (CredentialsContext) -> Fetcher) -> CredentialsCache {
        cache(fetcher(self))
    }
}
