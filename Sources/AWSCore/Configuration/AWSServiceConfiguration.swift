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
public class AWSServiceConfiguration: AWSNetworkingConfiguration, @unchecked Sendable {
    // Safe because all mutable state is behind a lock, here and in the superclass.

    /// The region that requests are signed for; `Unknown` if ``AWSRegionType`` does not list it.
    public let regionType: AWSRegionType

    /// Provides the keys; nil for the machine's own: from the environment, a profile, a container or the EC2 instance.
    public let credentialsProvider: (any AWSCredentialsProvider)!

    /// The service's endpoint; nil for the one that the environment names, otherwise the region's public endpoint.
    public let endpoint: AWSEndpoint!

    /// Whether calls to the public endpoints are forbidden, so that a test cannot reach them by mistake.
    public let localTestingEnabled: Bool

    /// The region's name, even if `regionType` is `Unknown`; nil if there is none.
    package let regionName: String?

    private let tokens: Locked<ProductTokens>

    private static let globalTokens = Locked(ProductTokens())

    private init(
        regionName: String?,
        endpoint: AWSEndpoint?,
        credentialsProvider: (any AWSCredentialsProvider)?,
        localTestingEnabled: Bool = false
    ) {
        self.regionName = regionName
        self.regionType = regionName.map(AWSRegionType.init(name:)) ?? .Unknown
        self.endpoint = endpoint
        self.credentialsProvider = credentialsProvider
        self.localTestingEnabled = localTestingEnabled
        self.tokens = Locked(ProductTokens())
        super.init()
    }

    private init(copying other: AWSServiceConfiguration) {
        regionName = other.regionName
        regionType = other.regionType
        endpoint = other.endpoint
        credentialsProvider = other.credentialsProvider
        localTestingEnabled = other.localTestingEnabled
        tokens = Locked(other.tokens.withLock { $0 })
        super.init(copying: other)
    }

    /// A configuration for a region.
    ///
    /// - Parameters:
    ///   - region: The region. With `Unknown`, calls fail.
    ///   - credentialsProvider: Provides the keys; nil for the machine's own.
    public convenience init!(region: AWSRegionType, credentialsProvider: (any AWSCredentialsProvider)!) {
        self.init(regionName: region.name, endpoint: nil, credentialsProvider: credentialsProvider)
    }

    /// A configuration for a region, with a custom endpoint.
    ///
    /// - Parameters:
    ///   - region: The region that requests are signed for. With `Unknown`, calls fail.
    ///   - endpoint: The service's endpoint; nil for the default.
    ///   - credentialsProvider: Provides the keys; nil for the machine's own.
    public convenience init!(
        region: AWSRegionType,
        endpoint: AWSEndpoint!,
        credentialsProvider: (any AWSCredentialsProvider)!
    ) {
        self.init(regionName: region.name, endpoint: endpoint, credentialsProvider: credentialsProvider)
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
    public convenience init!(
        region: AWSRegionType,
        serviceType: AWSServiceType,
        credentialsProvider: (any AWSCredentialsProvider)!,
        localTestingEnabled: Bool
    ) {
        self.init(
            regionName: region.name,
            endpoint: nil,
            credentialsProvider: credentialsProvider,
            localTestingEnabled: localTestingEnabled
        )
    }

    /// A configuration for a region that ``AWSRegionType`` may not list.
    package convenience init(region: Region, credentialsProvider: (any AWSCredentialsProvider)? = nil) {
        self.init(regionName: region.name, endpoint: nil, credentialsProvider: credentialsProvider)
    }

    /// The user agent of requests: package and system, then the global tokens, then this configuration's.
    public var userAgent: String! {
        let global = Self.globalTokens.withLock { $0.all }
        let own = tokens.withLock { $0.all.filter { !global.contains($0) } }
        return UserAgent.with(tokens: global + own)
    }

    /// The user agent without tokens.
    public class func baseUserAgent() -> String! { UserAgent.standard }

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
    public override func copy(with zone: NSZone? = nil) -> Any {
        AWSServiceConfiguration(copying: self)
    }
}

/// The tokens that users add to a user agent, without duplicates.
private struct ProductTokens: Sendable {
    private(set) var all: [String] = []

    mutating func add(_ token: String?) {
        let kept = String(String.UnicodeScalarView((token ?? "").unicodeScalars.filter { (" "..."~").contains($0) }))
        if !kept.allSatisfy({ $0 == " " }), !all.contains(kept) { all.append(kept) }
    }
}
