import Foundation
import RecordFormats
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

/// Signs the same requests with botocore, another implementation, and compares stage by stage.
@Suite struct BotocoreCrossCheckTests {
    @Test func `every stage of a signature is botocore's`() async throws {
        let cases =
            [SigningCase.plain, .temporaryKeys, .looseSpaces, .repeatedHeader, .localPort, .version6, .emptyBody]
            + SigningCase.days
        let answer = try await LocalPython.run("check_signature.py", input: JSONEncoder().encode(cases))
        let expected = try JSONDecoder().decode([Stages].self, from: answer)
        try #require(expected.count == cases.count)
        for (signing, stages) in zip(cases, expected) {
            #expect(try signing.signed() == stages)
        }
    }
}

/// The results that both implementations compute.
private struct Stages: Decodable, Equatable {
    var canonicalRequest: String
    var stringToSign: String
    var authorization: String
}

/// A request to sign, in the format of `check_signature.py`.
private struct SigningCase: Encodable {
    var method = "POST"
    var url = "https://kinesis.us-east-1.amazonaws.com/"
    var headers = [
        ["Host", "kinesis.us-east-1.amazonaws.com"],
        ["Content-Type", "application/x-amz-json-1.1"],
        ["X-Amz-Target", "Kinesis_20131202.PutRecords"],
    ]
    var body = Data(#"{"StreamName":"orders","Records":[]}"#.utf8)
    var region = "us-east-1"
    var service = "kinesis"
    var timestamp = 1_767_323_045
    var accessKeyId = "AKIDEXAMPLE"
    var secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
    var sessionToken: String?

    static let plain = SigningCase()
    static let temporaryKeys = SigningCase(sessionToken: "IQoJb3JpZ2luX2VjE//token+with/signs==")
    static let looseSpaces = SigningCase(headers: plain.headers + [["X-Amz-Note", "  two   words \t and a tab  "]])
    static let repeatedHeader = SigningCase(
        headers: plain.headers + [["X-Amz-Note", "first"], ["x-amz-note", "second"]]
    )
    static let localPort = SigningCase(url: "http://127.0.0.1:40123/", headers: [["Host", "127.0.0.1:40123"]])
    static let version6 = SigningCase(url: "http://[::1]:40123/", headers: [["Host", "[::1]:40123"]])
    static let emptyBody = SigningCase(body: Data())

    /// Ends of years and months, a leap day, times with leading zeros.
    static let days = [0, 951_782_399, 951_782_400, 1_709_251_199, 1_735_689_599, 1_735_689_600, 4_102_444_799].map {
        SigningCase(
            url: "https://firehose.eu-central-1.amazonaws.com/",
            headers: [["Host", "firehose.eu-central-1.amazonaws.com"]],
            region: "eu-central-1",
            service: "firehose",
            timestamp: $0
        )
    }

    /// The stages computed by our signer.
    func signed() throws -> Stages {
        let date = Date(timeIntervalSince1970: Double(timestamp))
        let signer = SigV4Signer(region: region, service: service)
        var request = HTTPRequest(
            method: try #require(HTTPRequest.Method(rawValue: method)),
            url: url,
            headers: headers.map { HTTPHeader($0[0], $0[1]) },
            body: Array(body)
        )
        let credentials = Credentials(
            accessKeyID: accessKeyId,
            secretAccessKey: secretAccessKey,
            sessionToken: sessionToken
        )
        signer.sign(&request, path: "/", with: credentials, at: date)
        let authorization = try #require(request.headers.last { $0.name == "Authorization" })
        let canonical = CanonicalRequest(
            method: request.method,
            path: "/",
            headers: request.headers.filter { $0.name != "Authorization" },
            payloadHash: Digest.hex(Digest.sha256(request.body))
        )
        return Stages(
            canonicalRequest: canonical.text,
            stringToSign: signer.stringToSign(canonical, at: date),
            authorization: authorization.value
        )
    }
}
