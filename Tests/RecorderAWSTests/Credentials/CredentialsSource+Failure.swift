import RecorderAWS

extension CredentialsSource {
    /// Why there are no keys, or nil if there are.
    func failure() async -> CredentialsFailure? {
        do throws(CredentialsFailure) {
            _ = try await credentials()
            return nil
        } catch {
            return error
        }
    }
}
