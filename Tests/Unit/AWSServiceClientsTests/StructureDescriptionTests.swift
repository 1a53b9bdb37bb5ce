import AWSFirehoseClient
import AWSKinesisClient
import Foundation
import RecorderTestSupport
import Testing

/// What is printed of inputs and outputs.
struct StructureDescriptionTests {
    @Test func `a printed output shows its members, and the size of data instead of its bytes`() {
        let record = KinesisClientTypes.Record(data: Data("secret".utf8), encryptionType: .kms, partitionKey: "k \"1\"")
        let output = GetRecordsOutput(millisBehindLatest: 7, records: [record])
        let members = #""Records":[{"Data":"6 bytes","EncryptionType":"KMS","PartitionKey":"k \"1\""}]"#
        #expect("\(output)" == #"GetRecordsOutput {"MillisBehindLatest":7,\#(members)}"#)
        #expect("\(AddTagsToStreamOutput())" == "AddTagsToStreamOutput {}")
    }

    @Test func `nothing that is printed or dumped shows a secret`() {
        let endpoint = FirehoseClientTypes.HttpEndpointConfiguration(accessKey: Canary.secret, name: "lake")
        let redshift = FirehoseClientTypes.RedshiftDestinationUpdate(password: Canary.secret, username: Canary.secret)
        let input = UpdateDestinationInput(
            httpEndpointDestinationUpdate: .init(endpointConfiguration: endpoint),
            redshiftDestinationUpdate: redshift
        )
        var dumped = ""
        dump(input, to: &dumped)
        let texts = ["\(input)", String(reflecting: input), "\([endpoint])", "\(redshift as Any)", dumped]
        for text in texts { #expect(!text.contains(Canary.secret), "\(text)") }
        #expect("\(endpoint)" == #"HttpEndpointConfiguration {"AccessKey":"(not shown)","Name":"lake"}"#)
    }
}
