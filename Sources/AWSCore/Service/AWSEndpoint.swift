public import Foundation
import RecorderAWS

/// Where a service is reached, for a region's public host or for an address of your own.
///
/// Give one to ``AWSServiceConfiguration/init(region:endpoint:credentialsProvider:)``. Its address is used as it is;
/// requests are signed for the configuration's region. An address that cannot be used faults the calls, with an error
/// that shows it. Never changes; safe to use from any thread.
public final class AWSEndpoint: NSObject, Sendable {
    /// The region, where one was given; else `Unknown`.
    public let regionType: AWSRegionType

    /// The service, where one was given or the name is known; else `Unknown`.
    public let serviceType: AWSServiceType

    /// The service's name as signatures have it, such as `kinesis`; nil if there is none.
    public let serviceName: String!

    /// The address; nil if what was given is not one.
    public let url: URL!

    /// Whether the scheme is `http`.
    public let useUnsafeURL: Bool

    /// The address as it was given; checked when a call uses it.
    package let address: String

    private init(region: AWSRegionType, service: AWSServiceType, serviceName: String?, address: String) {
        self.regionType = region
        self.serviceType = service
        self.serviceName = serviceName
        self.address = address
        self.url = URL(string: address)
        self.useUnsafeURL = address.lowercased().hasPrefix("http:")
    }

    /// The public endpoint of a service in a region; nil for an unknown region or service.
    ///
    /// - Parameters:
    ///   - region: The region whose host is meant.
    ///   - service: The service.
    ///   - useUnsafeURL: Whether to speak `http`, unencrypted.
    public convenience init!(region: AWSRegionType, service: AWSServiceType, useUnsafeURL: Bool) {
        guard let name = region.name, let known = try? Region(name), let service = service.service else { return nil }
        let address = Endpoint.standard(for: service, in: known).url
        self.init(
            region: region,
            service: AWSServiceType(service),
            serviceName: service.signingName,
            address: useUnsafeURL ? "http:" + address.drop { $0 != "/" } : address
        )
    }

    /// A service on this machine, where the environment or the profile says (`AWS_ENDPOINT_URL_KINESIS` and so on); nil
    /// where neither does.
    ///
    /// - Parameters:
    ///   - region: The region that requests are signed for is the configuration's; this one is only remembered.
    ///   - service: The service.
    ///   - useUnsafeURL: Has no effect; the address says how to speak.
    public convenience init!(localEndpointWithRegion region: AWSRegionType, service: AWSServiceType, useUnsafeURL: Bool)
    {
        guard let known = service.service,
            let found = try? MachineSettings().namedEndpoint(for: known)
        else { return nil }
        self.init(region: region, service: service, serviceName: known.signingName, address: found.url)
    }

    /// A service at an address of your own; nil without an address.
    public convenience init!(region: AWSRegionType, service: AWSServiceType, url: URL!) {
        guard let url else { return nil }
        self.init(
            region: region,
            service: service,
            serviceName: service.service?.signingName,
            address: url.absoluteString
        )
    }

    /// A service, by name, at an address of your own; nil without an address.
    public convenience init!(region: AWSRegionType, serviceName: String!, url: URL!) {
        guard let url else { return nil }
        let service = AWSServiceType.allCases.first { $0.service?.signingName == serviceName }
        self.init(region: region, service: service ?? .Unknown, serviceName: serviceName, address: url.absoluteString)
    }

    /// An address of your own; nil without one.
    public convenience init!(url: URL!) {
        guard let url else { return nil }
        self.init(region: .Unknown, service: .Unknown, serviceName: nil, address: url.absoluteString)
    }

    /// An address of your own, such as `http://localhost:4566`; nil without one.
    public convenience init!(urlString: String!) {
        guard let urlString else { return nil }
        self.init(region: .Unknown, service: .Unknown, serviceName: nil, address: urlString)
    }

    /// The region's name, such as `us-east-1`; nil where no region was given.
    public var regionName: String! { regionType.name }

    /// The host; nil if the address is not one.
    public var hostName: String! { url?.host }

    /// The port, where the address names one.
    public var portNumber: NSNumber! { url?.port.map { NSNumber(value: $0) } }

    /// The name of a region, such as `us-east-1`; nil for `Unknown`.
    public static func regionName(from region: AWSRegionType) -> String! { region.name }
}
