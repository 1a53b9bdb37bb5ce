import Foundation
import RecordFormats
import RecorderAWS
import Testing

@Suite struct DigestTests {
    @Test func `SHA-256 of the standard's examples`() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(Digest.hex(Digest.sha256([])) == empty)
        #expect(Digest.hex(Digest.sha256(Array("abc".utf8))) == abc)
    }

    @Test func `HMAC of RFC 4231, short key and long key`() {
        let short = Digest.hmacSHA256(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(Digest.hex(short) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let message = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        let long = Digest.hmacSHA256(key: [UInt8](repeating: 0xaa, count: 131), message)
        #expect(Digest.hex(long) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func `MD5 of RFC 1321's examples, also of a part of an array`() throws {
        let empty = try #require(Digest.md5([]))
        #expect(Digest.hex(empty) == "d41d8cd98f00b204e9800998ecf8427e")
        let abc = try #require(Digest.md5(Array("-abc-".utf8)[1..<4]))
        #expect(Digest.hex(abc) == "900150983cd24fb0d6963f7d28e17f72")
    }

    @Test(arguments: Array(0...130) + [10_000])
    func `base64 is appended, and Foundation decodes it`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 37 &+ $0 &* 11) }
        var buffer = Array("begin".utf8)
        bytes.withUnsafeBytes { Base64.append($0, to: &buffer) }
        let text = String(decoding: buffer, as: UTF8.self)
        #expect(text.hasPrefix("begin"))
        #expect(text.utf8.count == 5 + Base64.encodedCount(count))
        #expect(Data(base64Encoded: String(text.dropFirst(5))) == Data(bytes))
    }
}
