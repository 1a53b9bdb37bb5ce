public import Foundation
package import RecorderAWS
import RecorderConcurrency
public import RecorderConfiguration

/// The name of the default section, and of the default entry in each section.
public let AWSInfoDefault = "Default"

/// The contents of `awsconfiguration.json`: the identity pool that provides keys, and the regions of the services.
///
/// ```json
/// {
///     "CredentialsProvider": { "CognitoIdentity": { "Default": { "PoolId": "us-east-1:...", "Region": "us-east-1" } } },
///     "KinesisRecorder": { "Default": { "Region": "us-west-2" } }
/// }
/// ```
/// The file is read once: the one that `AWS_KINESIS_RECORDER_CONFIGURATION` names, otherwise `awsconfiguration.json` next
/// to the executable or in a SwiftPM resource bundle there. An unreadable file counts as missing and is logged as a
/// warning. If a submit then finds no other configuration, its error names the file.
///
/// Recorders without their own configuration look here first: in the section `KinesisRecorder` or `FirehoseRecorder`, for
/// the entry `Default` or that of their key. Safe to use from any thread.
public final class AWSInfo: NSObject, @unchecked Sendable {
    // Safe because the dictionaries are immutable, and the provider is behind a lock.

    private struct Settings {
        var given: Given?
        var identityPoolConfiguration: AWSServiceConfiguration?
        var shared: AWSInfo?
    }

    private struct Given: @unchecked Sendable {
        // Safe because it is immutable.
        let root: [String: Any]
    }

    private static let settings = Locked(Settings())

    /// The whole contents; empty if there is no file.
    public let rootInfoDictionary: [String: Any]

    /// Why the file could not be read, if there is one.
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
        provider = Locked(Self.provider(in: root, configuration: identityPoolConfiguration))
        if let token = root["UserAgent"] as? String {
            AWSServiceConfiguration.addGlobalUserAgentProductToken(token)
        }
    }

    /// Reads the contents anew: those that ``default()`` would have if this were the first use.
    public override convenience init() {
        let settings = Self.settings.withLock { $0 }
        let (root, failure) = Self.read(settings)
        self.init(root, failure: failure, identityPoolConfiguration: settings.identityPoolConfiguration)
    }

    /// The file's contents, or the dictionary passed to ``configureDefaultAWSInfo(_:)``.
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

    /// Replaces the file's contents. Has no effect, and logs a warning, once ``default()`` was used.
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

    /// Sets the configuration for calls to the identity pool. Has no effect after the first use of ``default()``.
    public static func configureIdentityPoolService(_ config: AWSServiceConfiguration?) {
        settings.withLock { $0.identityPoolConfiguration = config }
    }

    /// Replaces the provider that the file specifies.
    public static func overrideCredentialsProvider(_ cognitoCredentialsProvider: AWSCognitoCredentialsProvider) {
        `default`().provider.withLock { $0 = cognitoCredentialsProvider }
    }

    /// The settings of a service under a key; nil without an identity pool, or without a region in the entry or the default
    /// section.
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

    /// The settings of a service under `Default`.
    public func defaultServiceInfo(_ serviceName: String) -> AWSServiceInfo? {
        serviceInfo(serviceName, forKey: AWSInfoDefault)
    }

    private static func make(_ settings: Settings) -> AWSInfo {
        let (root, failure) = read(settings)
        return AWSInfo(root, failure: failure, identityPoolConfiguration: settings.identityPoolConfiguration)
    }

    private static func read(_ settings: Settings) -> (root: [String: Any], failure: ConfigurationFailure?) {
        if let given = settings.given { return (given.root, nil) }
        do throws(ConfigurationFailure) {
            return (try AWSInfoFile.read() ?? [:], nil)
        } catch {
            RecorderLog.warning(error.message)
            return ([:], error)
        }
    }

    private static func region(in section: Any?) -> AWSRegionType {
        ((section as? [String: Any])?["Region"] as? String)?.aws_regionTypeValue() ?? .Unknown
    }

    private static func provider(
        in root: [String: Any],
        configuration: AWSServiceConfiguration?
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
