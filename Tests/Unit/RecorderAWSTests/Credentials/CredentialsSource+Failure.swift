import RecorderAWS
import RecorderTestSupport

extension CredentialsSource {
    /// Why there are no keys, or nil if there are.
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
