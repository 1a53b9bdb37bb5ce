public import Foundation
package import RecorderAWS
import RecorderConcurrency

/// Where a service is and whose keys to use for it.
///
/// ```swift
/// let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: "us-east-1:...")
/// let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider)
/// AWSServiceManager.default().defaultServiceConfiguration = configuration
/// ```
/// The initialisers never give nil; they are implicitly unwrapped as the original's are. Safe to use from any thread. A
/// recorder takes a copy when it is made.
public class AWSServiceConfiguration: AWSNetworkingConfiguration, @unchecked Sendable {
    // Safe because all that changes is behind a lock, here and in the superclass.

    /// The region that requests are signed for; `Unknown` if it is one that ``AWSRegionType`` does not list.
    public let regionType: AWSRegionType

    /// Where the keys come from; nil for what the machine is set up with: environment, profile, container, EC2 instance.
    public let credentialsProvider: (any AWSCredentialsProvider)!

    /// Where the service is; nil for the environment's choice, else the public endpoint of the region.
    public let endpoint: AWSEndpoint!

    /// Whether the public endpoints are out of bounds, so that a test cannot reach them by mistake.
    public let localTestingEnabled: Bool

    /// The region's name, also where `regionType` does not know it; nil if there is none.
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
    ///   - credentialsProvider: Where the keys come from; nil for the machine's own.
    public convenience init!(region: AWSRegionType, credentialsProvider: (any AWSCredentialsProvider)!) {
        self.init(regionName: region.name, endpoint: nil, credentialsProvider: credentialsProvider)
    }

    /// A configuration for a region, at an address of your own.
    ///
    /// - Parameters:
    ///   - region: The region that requests are signed for. With `Unknown`, calls fail.
    ///   - endpoint: Where the service is; nil for the usual places.
    ///   - credentialsProvider: Where the keys come from; nil for the machine's own.
    public convenience init!(
        region: AWSRegionType,
        endpoint: AWSEndpoint!,
        credentialsProvider: (any AWSCredentialsProvider)!
    ) {
        self.init(regionName: region.name, endpoint: endpoint, credentialsProvider: credentialsProvider)
    }

    /// A configuration for a region that may be barred from the public endpoints.
    ///
    /// Unlike the original, which left Kinesis and Firehose without any address, a local test finds its service through
    /// `AWS_ENDPOINT_URL_KINESIS`, `AWS_ENDPOINT_URL_FIREHOSE` or `AWS_ENDPOINT_URL`, and calls fail without one.
    ///
    /// - Parameters:
    ///   - region: The region that requests are signed for. With `Unknown`, calls fail.
    ///   - serviceType: Has no effect; a recorder knows its own.
    ///   - credentialsProvider: Where the keys come from; nil for the machine's own.
    ///   - localTestingEnabled: Whether calls must not go to the public endpoints.
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

    /// What requests say that they come from: package and system, then the global tokens, then this configuration's.
    public var userAgent: String! {
        let global = Self.globalTokens.withLock { $0.all }
        let own = tokens.withLock { $0.all.filter { !global.contains($0) } }
        return UserAgent.with(tokens: global + own)
    }

    /// What requests say that they come from, without any token.
    public class func baseUserAgent() -> String! { UserAgent.standard }

    /// Adds a word such as `my-app/1.2` to the user agent of every configuration; once, however often it is added.
    ///
    /// Only visible ASCII and spaces are kept.
    public class func addGlobalUserAgentProductToken(_ productToken: String!) {
        globalTokens.withLock { $0.add(productToken) }
    }

    /// Adds a word such as `my-app/1.2` to this configuration's user agent; once, however often it is added.
    ///
    /// Only visible ASCII and spaces are kept.
    public func addUserAgentProductToken(_ productToken: String!) {
        tokens.withLock { $0.add(productToken) }
    }

    /// A copy with settings of its own; region, endpoint and provider are shared.
    public override func copy(with zone: NSZone? = nil) -> Any {
        AWSServiceConfiguration(copying: self)
    }
}

/// The words that users add to a user agent, each once.
private struct ProductTokens: Sendable {
    private(set) var all: [String] = []

    mutating func add(_ token: String?) {
        let kept = String(String.UnicodeScalarView((token ?? "").unicodeScalars.filter { (" "..."~").contains($0) }))
        if !kept.allSatisfy({ $0 == " " }), !all.contains(kept) { all.append(kept) }
    }
}
