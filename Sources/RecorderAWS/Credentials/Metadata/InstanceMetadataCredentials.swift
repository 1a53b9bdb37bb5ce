import Foundation
import RecorderHTTP

/// Keys of the role of the EC2 instance that this is, from its metadata service, version 2 only.
///
/// Version 1, which answers whoever can make the instance send a request, is never spoken. Each request takes a second at
/// most, no proxy is used and no redirect followed. `AWS_EC2_METADATA_DISABLED=true` turns it off.
package struct InstanceMetadataCredentials: CachedCredentialsSource {
    let cache: CredentialsCache

    /// A source for this instance.
    package init(in context: CredentialsContext) {
        cache = CredentialsCache(now: context.now) { () throws(CredentialsFailure) in
            guard context.variable("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else {
                throw CredentialsFailure("AWS_EC2_METADATA_DISABLED is true.", kind: .notConfigured)
            }
            let endpoint = try CredentialsFailure.translating { () throws(ConfigurationFailure) in
                try MachineSettings(context.environment).instanceMetadataEndpoint()
            }
            let service = InstanceMetadata(endpoint: endpoint, transport: context.transport)
            return Self.prolonged(try await service.credentials(now: context.now()), now: context.now())
        }
    }

    /// Keys that ended are what the metadata service gives while it has trouble, and services go on to take them: they
    /// are used for another quarter of an hour.
    private static func prolonged(_ credentials: Credentials, now: Date) -> Credentials {
        guard let end = credentials.expiration, end <= now else { return credentials }
        RecorderLog.warning("The instance metadata service gives keys that have ended; they are used all the same.")
        var prolonged = credentials
        prolonged.expiration = now + 900
        return prolonged
    }
}
