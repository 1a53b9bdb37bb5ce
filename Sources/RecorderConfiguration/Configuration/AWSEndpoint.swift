public import Foundation
import RecorderAWS

/// The address of a service: a region's public endpoint, or a custom one.
///
/// Pass it to ``AWSServiceConfiguration/init(region:endpoint:credentialsProvider:)``. Requests are signed for the
/// configuration's region. If the address is invalid, calls fail with an error that shows it. Immutable; safe to use from
/// any thread.
public final class AWSEndpoint: NSObject, Sendable {
    /// The region, if one was given; otherwise `Unknown`.
    public let regionType: AWSRegionType

    /// The service, if one was given or its name is known; otherwise `Unknown`.
    public let serviceType: AWSServiceType

    /// The service's name in signatures, such as `kinesis`; nil if there is none.
    public let serviceName: String!

    /// The address; nil if it is not a valid URL.
    public let url: URL!

    /// Whether the scheme is `http`.
    public let useUnsafeURL: Bool

    /// The address as given; validated when a call uses it.
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
    ///   - region: The region of the host.
    ///   - service: The service.
    ///   - useUnsafeURL: Whether to use `http`, unencrypted.
    public convenience init!(region: AWSRegionType, service: AWSServiceType, useUnsafeURL: Bool) {
        guard let name = region.name, let known = try? Region(name), let service = service.service else { return nil }
        let address = Endpoint.standard(for: service, in: known).urlWithoutRoot
        self.init(
            region: region,
            service: AWSServiceType(service),
            serviceName: service.signingName,
            address: useUnsafeURL ? "http:" + address.drop { $0 != "/" } : address
        )
    }

    /// The local endpoint that the environment or the profile names (`AWS_ENDPOINT_URL_KINESIS` and so on); nil if neither
    /// does.
    ///
    /// - Parameters:
    ///   - region: Only stored; requests are signed for the configuration's region.
    ///   - service: The service.
    ///   - useUnsafeURL: Has no effect; the address includes the scheme.
    public convenience init!(localEndpointWithRegion region: AWSRegionType, service: AWSServiceType, useUnsafeURL: Bool)
    {
        guard let known = service.service,
            let found = try? MachineSettings().namedEndpoint(for: known)
        else { return nil }
        self.init(region: region, service: service, serviceName: known.signingName, address: found.urlWithoutRoot)
    }

    /// A custom endpoint of a service; nil without an address.
    public convenience init!(region: AWSRegionType, service: AWSServiceType, url: URL!) {
        guard let url else { return nil }
        self.init(
            region: region,
            service: service,
            serviceName: service.service?.signingName,
            address: url.absoluteString
        )
    }

    /// A custom endpoint of a service with the given name; nil without an address.
    public convenience init!(region: AWSRegionType, serviceName: String!, url: URL!) {
        guard let url else { return nil }
        let service = AWSServiceType.allCases.first { $0.service?.signingName == serviceName }
        self.init(region: region, service: service ?? .Unknown, serviceName: serviceName, address: url.absoluteString)
    }

    /// A custom endpoint; nil without an address.
    public convenience init!(url: URL!) {
        guard let url else { return nil }
        self.init(region: .Unknown, service: .Unknown, serviceName: nil, address: url.absoluteString)
    }

    /// A custom endpoint, such as `http://localhost:4566`; nil without an address.
    public convenience init!(urlString: String!) {
        guard let urlString else { return nil }
        self.init(region: .Unknown, service: .Unknown, serviceName: nil, address: urlString)
    }

    /// The region's name, such as `us-east-1`; nil if no region was given.
    public var regionName: String! { regionType.name }

    /// The host; nil if the address is not a valid URL.
    public var hostName: String! { url?.host }

    /// The port, if the address includes one.
    public var portNumber: NSNumber! { url?.port.map { NSNumber(value: $0) } }

    /// The name of a region, such as `us-east-1`; nil for `Unknown`.
    public static func regionName(from region: AWSRegionType) -> String! { region.name }
}

extension Endpoint {
    /// The URL as the AWS SDK spells it: without a path if that is only the slash.
    fileprivate var urlWithoutRoot: String { path == "/" ? String(url.dropLast()) : url }
}
