import AWSCore
import Foundation
import Testing

struct AWSEndpointTests {
    @Test(arguments: [
        (AWSRegionType.USWest2, AWSServiceType.Kinesis, "https://kinesis.us-west-2.amazonaws.com"),
        (.EUCentral1, .Firehose, "https://firehose.eu-central-1.amazonaws.com"),
        (.CNNorth1, .Kinesis, "https://kinesis.cn-north-1.amazonaws.com.cn"),
        (.USEast1, .CognitoIdentity, "https://cognito-identity.us-east-1.amazonaws.com"),
    ])
    func `a region and a service have a public host`(region: AWSRegionType, service: AWSServiceType, url: String) {
        let endpoint = AWSEndpoint(region: region, service: service, useUnsafeURL: false)
        #expect(endpoint?.url.absoluteString == url)
        #expect(endpoint?.regionType == region)
        #expect(endpoint?.serviceType == service)
        #expect(endpoint?.useUnsafeURL == false)
    }

    @Test func `an unsafe endpoint uses http with the same host`() {
        let endpoint = AWSEndpoint(region: .USEast1, service: .Kinesis, useUnsafeURL: true)
        #expect(endpoint?.url.absoluteString == "http://kinesis.us-east-1.amazonaws.com")
        #expect(endpoint?.useUnsafeURL == true)
    }

    @Test func `an unknown region or service has no public host`() {
        #expect(AWSEndpoint(region: .Unknown, service: .Kinesis, useUnsafeURL: false) == nil)
        #expect(AWSEndpoint(region: .USEast1, service: .Unknown, useUnsafeURL: false) == nil)
    }

    @Test func `a custom address is not changed`() throws {
        let url = try #require(URL(string: "http://localhost:4566/local"))
        let endpoint = try #require(AWSEndpoint(region: .EUWest1, serviceName: "firehose", url: url))
        #expect(endpoint.url == url)
        #expect(endpoint.hostName == "localhost")
        #expect(endpoint.portNumber == 4566)
        #expect(endpoint.useUnsafeURL)
        #expect(endpoint.regionName == "eu-west-1")
        #expect(endpoint.serviceType == .Firehose)
    }

    @Test func `without an address there is no endpoint`() {
        let noURL: URL? = nil
        let noText: String? = nil
        #expect(AWSEndpoint(url: noURL) == nil)
        #expect(AWSEndpoint(urlString: noText) == nil)
        #expect(AWSEndpoint(region: .USEast1, service: .Kinesis, url: noURL) == nil)
        #expect(AWSEndpoint(region: .USEast1, serviceName: "kinesis", url: noURL) == nil)
    }
}
