import RecorderAWS
import RecorderStore

/// Checks what an endpoint's host says about itself against the service and the region of the requests.
struct EndpointChecks {
    let endpoint: Endpoint
    let region: Region
    let service: StreamServiceDescription

    /// Problems only.
    var findings: [Finding] { [wrongService, wrongRegion, unknownRegion].compactMap(\.self) }

    /// Whether the host is one of AWS's.
    private var isPublic: Bool {
        let labels = endpoint.host.split(separator: ".")
        return labels.contains("amazonaws") || labels.suffix(2) == ["api", "aws"]
    }

    /// Whether AWS has no region of this name, as far as this version knows.
    var isRegionUnknown: Bool {
        isPublic && !Region.known.contains(region.name)
    }

    private var wrongService: Finding? {
        guard isPublic else { return nil }
        let other: StreamServiceDescription = service.service == .firehose ? .kinesis : .firehose
        func names(_ service: StreamServiceDescription) -> Bool {
            let name = service.service.signingName
            return endpoint.host.split(separator: ".").contains { label in
                label == name || label == "\(name)-fips" || label.hasSuffix("-\(name)")
                    || label.hasSuffix("-\(name)-fips")
            }
        }
        guard names(other), !names(service) else { return nil }
        return .failure(
            "endpoint",
            text: "\(endpoint.host) is a host of \(other.name), but records are sent to \(service.name)",
            advice: "Set \(service.service.endpointVariable) for this service alone, or remove AWS_ENDPOINT_URL and "
                + "--endpoint-url.",
            status: .configuration
        )
    }

    private var wrongRegion: Finding? {
        guard let named = AgentConfiguration.region(of: endpoint)?.name, named != region.name else { return nil }
        return .failure(
            "endpoint",
            text: "\(endpoint.host) is in \(named), but requests are signed for \(region.name)",
            advice: "Set AWS_REGION or --region to \(named), or remove the endpoint.",
            status: .configuration
        )
    }

    private var unknownRegion: Finding? {
        guard isRegionUnknown else { return nil }
        let hint = Suggestions.hint(for: region.name, in: Region.known)
        return .warning(
            "region",
            text: "\(region.name) is no region of AWS that this version knows.\(hint)",
            advice: "Correct AWS_REGION, --region or the profile's region, unless the region is new."
        )
    }
}
