import AWSCore
import Foundation
import Testing

struct AWSRegionTypeTests {
    @Test func `the first regions have the AWS SDK's numbers`() {
        let original: [AWSRegionType] = [
            .Unknown, .USEast1, .USEast2, .USWest1, .USWest2, .EUWest1, .EUWest2, .EUCentral1, .APSoutheast1,
            .APNortheast1, .APNortheast2, .APSoutheast2, .APSouth1, .SAEast1, .CNNorth1, .CACentral1, .USGovWest1,
        ]
        #expect(original.map(\.rawValue) == Array(0...16))
    }

    @Test(arguments: [
        (17, "cn-northwest-1"), (24, "eu-south-1"), (39, "eusc-de-east-1"), (40, "me-west-1"), (41, "sa-west-1"),
        (42, "us-iso-east-1"), (44, "us-isob-east-1"), (46, "eu-isoe-west-1"), (48, "us-isof-south-1"),
    ])
    func `the later regions keep the numbers that they got`(number: Int, name: String) {
        #expect(AWSRegionType(rawValue: number)?.name == name)
    }

    @Test(arguments: AWSRegionType.allCases.filter { $0 != .Unknown })
    func `every region can be created from its name and its case name`(region: AWSRegionType) throws {
        let name = try #require(region.name)
        #expect(AWSRegionType(name: name) == region)
        #expect(AWSRegionType(name: "\(region)") == region)
        #expect(AWSEndpoint.regionName(from: region) == name)
    }

    @Test func `region names ignore upper and lower case`() {
        #expect("us-east-1".aws_regionTypeValue() == .USEast1)
        #expect(NSString(string: "EU-WEST-3").aws_regionTypeValue() == .EUWest3)
        #expect("apsoutheast2".aws_regionTypeValue() == .APSoutheast2)
    }

    @Test(arguments: ["", "unknown", "mars-north-1", "us-east-1 "])
    func `a text without a region is Unknown`(text: String) {
        #expect(text.aws_regionTypeValue() == .Unknown)
    }

    @Test func `Unknown has no name`() {
        #expect(AWSRegionType.Unknown.name == nil)
        #expect(AWSEndpoint.regionName(from: .Unknown) == nil)
    }
}
