import Foundation
import RecordFormats
import RecorderAWS
import RecorderHTTP
import Testing

/// The test vectors that AWS publishes.
struct SignatureVectors: Decodable {
    let accessKeyID: String
    let secretAccessKey: String
    let region: String
    let service: String
    let epochSeconds: Double
    let cases: [Case]

    struct Case: Decodable, CustomTestStringConvertible, Sendable {
        let name: String
        let method: String
        let path: String
        let headers: [[String]]
        let body: String
        let canonicalRequest: String
        let stringToSign: String
        let authorization: String

        var testDescription: String { name }

        func headers(without names: Set<String> = []) -> [HTTPHeader] {
            headers.filter { !names.contains($0[0].lowercased()) }.map { HTTPHeader($0[0], $0[1]) }
        }
    }

    static let published: SignatureVectors = {
        do {
            let url = try #require(
                Bundle.module.url(forResource: "sigv4", withExtension: "json", subdirectory: "Vectors")
            )
            return try JSONDecoder().decode(SignatureVectors.self, from: try Data(contentsOf: url))
        } catch {
            fatalError("The vectors cannot be read: \(error)")
        }
    }()
}

@Suite struct SigV4SignerTests {
    let vectors = SignatureVectors.published
    let date = Date(timeIntervalSince1970: SignatureVectors.published.epochSeconds)

    var signer: SigV4Signer { SigV4Signer(region: vectors.region, service: vectors.service) }

    @Test(arguments: SignatureVectors.published.cases)
    func `stage 1, the canonical request`(vector: SignatureVectors.Case) throws {
        #expect(try canonicalRequest(vector).text == vector.canonicalRequest)
    }

    @Test(arguments: SignatureVectors.published.cases)
    func `stage 2, the string to sign`(vector: SignatureVectors.Case) throws {
        #expect(signer.stringToSign(try canonicalRequest(vector), at: date) == vector.stringToSign)
    }

    @Test func `stage 3, the signing key of the example in AWS's guide`() {
        let signer = SigV4Signer(region: "us-east-1", service: "iam")
        let key = signer.signingKey(secret: vectors.secretAccessKey, at: date)
        #expect(Digest.hex(key) == "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9")
    }

    @Test(arguments: SignatureVectors.published.cases)
    func `stage 4, the signature`(vector: SignatureVectors.Case) {
        let key = signer.signingKey(secret: vectors.secretAccessKey, at: date)
        let signature = SigV4Signer.signature(of: vector.stringToSign, with: key)
        #expect(vector.authorization.hasSuffix("Signature=\(signature)"))
    }

    @Test(arguments: SignatureVectors.published.cases)
    func `all stages, as the request is sent`(vector: SignatureVectors.Case) throws {
        let method = try #require(HTTPRequest.Method(rawValue: vector.method))
        let ours: Set = ["x-amz-date", "x-amz-security-token"]
        var request = HTTPRequest(method: method, url: "https://example.amazonaws.com" + vector.path)
        request.headers = vector.headers(without: ours)
        request.body = Array(vector.body.utf8)
        let given = HTTPResponse(status: 200, headers: vector.headers())
        let token = given.header("X-Amz-Security-Token")
        signer.sign(&request, path: vector.path, with: credentials(token: token), at: date)

        let signed = HTTPResponse(status: 200, headers: request.headers)
        #expect(signed.header("Authorization") == vector.authorization)
        #expect(signed.header("X-Amz-Date") == "20150830T123600Z")
        #expect(signed.header("X-Amz-Security-Token") == token)
    }

    @Test func `a cached key is not used for another day or another secret`() {
        let kept = signer
        let other = signer
        _ = kept.signingKey(secret: vectors.secretAccessKey, at: date)
        let tomorrow = date + 86_400
        #expect(kept.signingKey(secret: "a", at: date) == other.signingKey(secret: "a", at: date))
        #expect(kept.signingKey(secret: "a", at: tomorrow) == signer.signingKey(secret: "a", at: tomorrow))
        #expect(kept.signingKey(secret: "a", at: date) != kept.signingKey(secret: "a", at: tomorrow))
    }

    @Test(arguments: [
        (0.0, "19700101T000000Z"), (951_827_696.9, "20000229T123456Z"), (1_709_251_199, "20240229T235959Z"),
        (2_147_483_648, "20380119T031408Z"), (4_107_542_400, "21000301T000000Z"), (-1, "19691231T235959Z"),
        (.infinity, "99991231T235959Z"), (-.infinity, "00010101T000000Z"), (.nan, "19700101T000000Z"),
    ])
    func `dates are written in UTC, leap days included`(seconds: Double, text: String) throws {
        var request = HTTPRequest(url: "https://example.amazonaws.com/")
        signer.sign(&request, path: "/", with: credentials(), at: Date(timeIntervalSince1970: seconds))
        #expect(HTTPResponse(status: 200, headers: request.headers).header("X-Amz-Date") == text)
    }

    private func canonicalRequest(_ vector: SignatureVectors.Case) throws -> CanonicalRequest {
        CanonicalRequest(
            method: try #require(HTTPRequest.Method(rawValue: vector.method)),
            path: vector.path,
            headers: vector.headers(),
            payloadHash: Digest.hex(Digest.sha256(Array(vector.body.utf8)))
        )
    }

    private func credentials(token: String? = nil) -> Credentials {
        Credentials(
            accessKeyID: vectors.accessKeyID,
            secretAccessKey: vectors.secretAccessKey,
            sessionToken: token
        )
    }
}
