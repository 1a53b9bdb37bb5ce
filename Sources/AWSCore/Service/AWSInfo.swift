public import Foundation
package import RecorderAWS
import RecorderConcurrency

/// The name of the section, and of the entry in each section, that counts where no other is named.
public let AWSInfoDefault = "Default"

/// What `awsconfiguration.json` says: which identity pool gives keys, and which regions the services are in.
///
/// ```json
/// {
///     "CredentialsProvider": { "CognitoIdentity": { "Default": { "PoolId": "us-east-1:...", "Region": "us-east-1" } } },
///     "KinesisRecorder": { "Default": { "Region": "us-west-2" } }
/// }
/// ```
/// The file is the one that `AWS_KINESIS_RECORDER_CONFIGURATION` names, else `awsconfiguration.json` beside the executable
/// or in a resource bundle of SwiftPM there; it is read once. One that cannot be read counts as absent, is warned of, and
/// is named by the error of a submit that finds no other configuration.
///
/// Recorders without a configuration of their own look here first: in the section `KinesisRecorder` or `FirehoseRecorder`,
/// for the entry `Default` or that of their key. Safe to use from any thread.
public final class AWSInfo: NSObject, @unchecked Sendable {
    // Safe because the dictionaries never change, and the provider is behind a lock.

    private struct Settings {
        var given: Given?
        var identityPoolConfiguration: AWSServiceConfiguration?
        var shared: AWSInfo?
    }

    private struct Given: @unchecked Sendable {
        // Safe because it is read only.
        let root: [String: Any]
    }

    private static let settings = Locked(Settings())

    /// The whole of what was read; empty where there is no file.
    public let rootInfoDictionary: [String: Any]

    /// Why there is nothing, if there should be something.
    let failure: ConfigurationFailure?

    private let region: AWSRegionType
    private let provider: Locked<AWSCognitoCredentialsProvider?>

    package init(
        _ root: [String: Any],
        failure: ConfigurationFailure? = nil,
        identityPoolConfiguration: AWSServiceConfiguration? = nil
    ) {
        rootInfoDictionary = root
        self.failure = failure
        region = Self.region(in: root["Default"])
        provider = Locked(Self.provider(in: root, identityPoolConfiguration))
        if let token = root["UserAgent"] as? String {
            AWSServiceConfiguration.addGlobalUserAgentProductToken(token)
        }
    }

    /// What the file says, or what was given to ``configureDefaultAWSInfo(_:)``.
    public static func `default`() -> AWSInfo {
        settings.withLock { settings in
            if let shared = settings.shared { return shared }
            let made = make(settings)
            settings.shared = made
            return made
        }
    }

    /// The Swift 2 spelling of ``default()``.
    @available(*, deprecated, renamed: "default()")
    public static func defaultAWSInfo() -> AWSInfo { `default`() }

    /// Gives what the file would say, in place of it; has no effect, and warns, once ``default()`` was used.
    public static func configureDefaultAWSInfo(_ config: [String: Any]) {
        let given = Given(root: config)
        let isTooLate = settings.withLock { settings in
            if settings.shared == nil { settings.given = given }
            return settings.shared != nil
        }
        if isTooLate {
            RecorderLog.warning("AWSInfo.configureDefaultAWSInfo comes too late: AWSInfo is in use. Call it first.")
        }
    }

    /// Says where and how the identity pool is asked; counts if it comes before the first use of ``default()``.
    public static func configureIdentityPoolService(_ config: AWSServiceConfiguration?) {
        settings.withLock { $0.identityPoolConfiguration = config }
    }

    /// Replaces the provider that the file asks for.
    public static func overrideCredentialsProvider(_ cognitoCredentialsProvider: AWSCognitoCredentialsProvider) {
        `default`().provider.withLock { $0 = cognitoCredentialsProvider }
    }

    /// What there is for a service under a key; nil without an identity pool or a region, the section's or `Default`'s.
    public func serviceInfo(_ serviceName: String, forKey key: String) -> AWSServiceInfo? {
        let section = rootInfoDictionary[serviceName] as? [String: Any]
        let entry = section?[key] as? [String: Any] ?? [:]
        let own = Self.region(in: entry)
        let region = own == .Unknown ? self.region : own
        guard let provider = provider.withLock({ $0 }) else {
            RecorderLog.debug("AWSInfo has no identity pool under CredentialsProvider, CognitoIdentity, Default.")
            return nil
        }
        guard region != .Unknown else {
            RecorderLog.debug("AWSInfo has no known Region for \(serviceName), \(key), and none under Default.")
            return nil
        }
        return AWSServiceInfo(cognitoCredentialsProvider: provider, region: region, infoDictionary: entry)
    }

    /// What there is for a service under `Default`.
    public func defaultServiceInfo(_ serviceName: String) -> AWSServiceInfo? {
        serviceInfo(serviceName, forKey: AWSInfoDefault)
    }

    private static func make(_ settings: Settings) -> AWSInfo {
        let pool = settings.identityPoolConfiguration
        if let given = settings.given { return AWSInfo(given.root, identityPoolConfiguration: pool) }
        do throws(ConfigurationFailure) {
            return AWSInfo(try AWSInfoFile.read() ?? [:], identityPoolConfiguration: pool)
        } catch {
            RecorderLog.warning(error.message)
            return AWSInfo([:], failure: error)
        }
    }

    private static func region(in section: Any?) -> AWSRegionType {
        ((section as? [String: Any])?["Region"] as? String)?.aws_regionTypeValue() ?? .Unknown
    }

    private static func provider(
        in root: [String: Any],
        _ configuration: AWSServiceConfiguration?
    ) -> AWSCognitoCredentialsProvider? {
        let providers = root["CredentialsProvider"] as? [String: Any]
        let pools = providers?["CognitoIdentity"] as? [String: Any]
        let pool = pools?[AWSInfoDefault] as? [String: Any]
        let region = region(in: pool)
        guard let id = pool?["PoolId"] as? String, region != .Unknown else { return nil }
        guard let configuration else { return AWSCognitoCredentialsProvider(regionType: region, identityPoolId: id) }
        return AWSCognitoCredentialsProvider(
            regionType: region,
            identityPoolId: id,
            identityPoolConfiguration: configuration
        )
    }
}

/// What `awsconfiguration.json` says for one service. Never changes; safe to use from any thread.
public final class AWSServiceInfo: NSObject, @unchecked Sendable {
    // Safe because nothing changes.

    /// The keys of the identity pool.
    public let cognitoCredentialsProvider: AWSCognitoCredentialsProvider

    /// The service's region.
    public let region: AWSRegionType

    /// The service's own entry; empty where there is none.
    public let infoDictionary: [String: Any]

    init(
        cognitoCredentialsProvider: AWSCognitoCredentialsProvider,
        region: AWSRegionType,
        infoDictionary: [String: Any]
    ) {
        self.cognitoCredentialsProvider = cognitoCredentialsProvider
        self.region = region
        self.infoDictionary = infoDictionary
    }

    /// The same as a configuration.
    package var configuration: AWSServiceConfiguration {
        AWSServiceConfiguration(region: region, credentialsProvider: cognitoCredentialsProvider)
    }
}
