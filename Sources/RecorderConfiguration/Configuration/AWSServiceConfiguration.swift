public import Foundation
package import RecorderAWS
import RecorderConcurrency

/// The region and endpoint of a service, and the credentials for calls to it.
///
/// ```swift
/// let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:...")
/// let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider)
/// AWSServiceManager.default().defaultServiceConfiguration = configuration
/// ```
/// The initializers never return nil; they are implicitly unwrapped as in the AWS SDK. Safe to use from any thread. A
/// recorder copies its configuration when it is created.
///
/// A subclass may override ``regionType``, ``credentialsProvider``, ``endpoint``, ``userAgent`` and ``baseUserAgent()``. What
/// it adds must be safe to use from any thread.
open class AWSServiceConfiguration: AWSNetworkingConfiguration {
    private struct Values {
        /// The region's name, even if `AWSRegionType` does not list it; nil if there is none.
        var regionName: String?
        var endpoint: AWSEndpoint?
        var credentialsProvider: (any AWSCredentialsProvider)?
        var localTestingEnabled = false
        /// What a subclass returned that this is a copy of; nil for the class's own.
        var baseUserAgent: String?
        var userAgent: String?
    }

    private let values: Values
    private let tokens = Locked(ProductTokens())

    private static let globalTokens = Locked(ProductTokens())

    /// The region that requests are signed for; `Unknown` if ``AWSRegionType`` does not list it.
    open var regionType: AWSRegionType { ownRegionType }

    /// Provides the keys; nil for the machine's own: from the environment, a profile, a container or the EC2 instance.
    open var credentialsProvider: (any AWSCredentialsProvider)! { values.credentialsProvider }

    /// The service's endpoint; nil for the one that the environment names, otherwise the region's public endpoint.
    open var endpoint: AWSEndpoint! { values.endpoint }

    /// Whether calls to the public endpoints are forbidden, so that a test cannot reach them by mistake.
    open var localTestingEnabled: Bool { values.localTestingEnabled }

    /// The region's name, even if `regionType` is `Unknown`; nil if there is none.
    package final var regionName: String? {
        let type = regionType
        return type == ownRegionType ? values.regionName : type.name
    }

    private var ownRegionType: AWSRegionType { values.regionName.map(AWSRegionType.init(name:)) ?? .Unknown }

    /// A configuration without a region, for a subclass that overrides ``regionType``. Calls fail while it is `Unknown`.
    public override init() {
        values = Values()
        super.init()
    }

    /// A configuration with the other's values, as its class returns them.
    private init(copying other: AWSServiceConfiguration) {
        let userAgent: String? = other.userAgent
        values = Values(
            regionName: other.regionName,
            endpoint: other.endpoint,
            credentialsProvider: other.credentialsProvider,
            localTestingEnabled: other.localTestingEnabled,
            baseUserAgent: other.ownBaseUserAgent,
            userAgent: userAgent == other.ownUserAgent ? nil : userAgent
        )
        super.init(copying: other)
        let added = other.tokens.withLock { $0 }
        tokens.withLock { $0 = added }
    }

    /// A configuration for a region.
    ///
    /// - Parameters:
    ///   - region: The region. With `Unknown`, calls fail.
    ///   - credentialsProvider: Provides the keys; nil for the machine's own.
    public init!(region: AWSRegionType, credentialsProvider: (any AWSCredentialsProvider)!) {
        values = Values(regionName: region.name, credentialsProvider: credentialsProvider)
        super.init()
    }

    /// A configuration for a region, with a custom endpoint.
    ///
    /// - Parameters:
    ///   - region: The region that requests are signed for. With `Unknown`, calls fail.
    ///   - endpoint: The service's endpoint; nil for the default.
    ///   - credentialsProvider: Provides the keys; nil for the machine's own.
    public init!(
        region: AWSRegionType,
        endpoint: AWSEndpoint!,
        credentialsProvider: (any AWSCredentialsProvider)!
    ) {
        values = Values(regionName: region.name, endpoint: endpoint, credentialsProvider: credentialsProvider)
        super.init()
    }

    /// A configuration for a region, with a custom endpoint, that may forbid calls to the public endpoints.
    ///
    /// - Parameters:
    ///   - region: The region that requests are signed for. With `Unknown`, calls fail.
    ///   - endpoint: The service's endpoint, which is used in a local test, too; nil for the default.
    ///   - credentialsProvider: Provides the keys; nil for the machine's own.
    ///   - localTestingEnabled: Whether calls to the public endpoints are forbidden.
    public init!(
        region: AWSRegionType,
        endpoint: AWSEndpoint!,
        credentialsProvider: (any AWSCredentialsProvider)!,
        localTestingEnabled: Bool
    ) {
        values = Values(
            regionName: region.name,
            endpoint: endpoint,
            credentialsProvider: credentialsProvider,
            localTestingEnabled: localTestingEnabled
        )
        super.init()
    }

    /// A configuration for a region that may forbid calls to the public endpoints.
    ///
    /// A local test finds its service through `AWS_ENDPOINT_URL_KINESIS`, `AWS_ENDPOINT_URL_FIREHOSE` or
    /// `AWS_ENDPOINT_URL`; without one of them, calls fail. The AWS SDK had no local address for Kinesis and Firehose.
    ///
    /// - Parameters:
    ///   - region: The region that requests are signed for. With `Unknown`, calls fail.
    ///   - serviceType: Has no effect; a recorder uses its own.
    ///   - credentialsProvider: Provides the keys; nil for the machine's own.
    ///   - localTestingEnabled: Whether calls to the public endpoints are forbidden.
    public init!(
        region: AWSRegionType,
        serviceType: AWSServiceType,
        credentialsProvider: (any AWSCredentialsProvider)!,
        localTestingEnabled: Bool
    ) {
        values = Values(
            regionName: region.name,
            credentialsProvider: credentialsProvider,
            localTestingEnabled: localTestingEnabled
        )
        super.init()
    }

    /// A configuration for a region that ``AWSRegionType`` may not list.
    package init(
        region: Region,
        endpoint: AWSEndpoint? = nil,
        credentialsProvider: (any AWSCredentialsProvider)? = nil
    ) {
        values = Values(
            regionName: region.spelling,
            endpoint: endpoint,
            credentialsProvider: credentialsProvider
        )
        super.init()
    }

    /// The user agent of requests: ``baseUserAgent()``, then the global tokens, then this configuration's.
    ///
    /// Of an override's value only visible ASCII and spaces are sent.
    open var userAgent: String! { values.userAgent ?? ownUserAgent }

    private var ownUserAgent: String {
        let global = Self.globalTokens.withLock { $0.all }
        let own = tokens.withLock { $0.all.filter { !global.contains($0) } }
        return ([ownBaseUserAgent] + global + own).filter { !$0.isEmpty }.joined(separator: " ")
    }

    private var ownBaseUserAgent: String { values.baseUserAgent ?? type(of: self).baseUserAgent() ?? "" }

    /// What requests send.
    final var sentUserAgent: String {
        let text = userAgent?.visibleASCII ?? ""
        return text.isEmpty ? UserAgent.standard : text
    }

    /// The user agent without tokens: package and system.
    open class func baseUserAgent() -> String! { UserAgent.standard }

    /// Adds a token such as `my-app/1.2` to the user agent of every configuration. Adding it again has no effect.
    ///
    /// Only visible ASCII and spaces are kept.
    public class func addGlobalUserAgentProductToken(_ productToken: String!) {
        globalTokens.withLock { $0.add(productToken) }
    }

    /// Adds a token such as `my-app/1.2` to this configuration's user agent. Adding it again has no effect.
    ///
    /// Only visible ASCII and spaces are kept.
    public func addUserAgentProductToken(_ productToken: String!) {
        tokens.withLock { $0.add(productToken) }
    }

    /// A copy with independent settings. The region, endpoint and provider are shared.
    ///
    /// The copy of a subclass's object is a plain `AWSServiceConfiguration` with the values that the subclass returned. A
    /// subclass overrides this if its copies are to be of its own class.
    open override func copy(with zone: NSZone? = nil) -> Any {
        AWSServiceConfiguration(copying: self)
    }
}

// Safe because it is immutable, but for state behind a lock, and a subclass must be safe, too. Not visible in Swift 5 mode,
// as for `AWSCredentials`.
@available(swift, introduced: 6)
extension AWSServiceConfiguration: @unchecked Sendable {}

/// The tokens that users add to a user agent, without duplicates.
private struct ProductTokens: Sendable {
    private(set) var all: [String] = []

    mutating func add(_ token: String?) {
        let kept = (token ?? "").visibleASCII
        if !kept.allSatisfy({ $0 == " " }), !all.contains(kept) { all.append(kept) }
    }
}

extension String {
    /// The text without what a header may not have.
    fileprivate var visibleASCII: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { (" "..."~").contains($0) }))
    }
}
