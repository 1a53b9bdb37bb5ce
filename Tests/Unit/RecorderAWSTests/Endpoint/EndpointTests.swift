import RecorderAWS
import RecorderTestSupport
import Testing

@Suite struct EndpointTests {
    @Test(arguments: [
        ("eu-west-1", "kinesis.eu-west-1.amazonaws.com"), ("cn-north-1", "kinesis.cn-north-1.amazonaws.com.cn"),
        ("us-gov-west-1", "kinesis.us-gov-west-1.amazonaws.com"), ("us-iso-east-1", "kinesis.us-iso-east-1.c2s.ic.gov"),
        ("us-isob-east-1", "kinesis.us-isob-east-1.sc2s.sgov.gov"),
        ("eusc-de-east-1", "kinesis.eusc-de-east-1.amazonaws.eu"), ("sa-west-1", "kinesis.sa-west-1.amazonaws.com"),
        ("us-isof-south-1", "kinesis.us-isof-south-1.csp.hci.ic.gov"),
        ("eu-isoe-west-1", "kinesis.eu-isoe-west-1.cloud.adc-e.uk"),
        // No region of AWS yet.
        ("cn-south-7", "kinesis.cn-south-7.amazonaws.com.cn"), ("moon", "kinesis.moon.amazonaws.com"),
        ("cn-", "kinesis.cn-.amazonaws.com"),
    ])
    func `the public endpoint follows the region's partition`(region: String, host: String) throws {
        let endpoint = Endpoint.standard(for: .kinesis, in: try Region(region))
        #expect(endpoint.host == host)
        #expect(endpoint.url == "https://\(host)/")
    }

    @Test(arguments: [
        "", "US-EAST-1", "us_east_1", "us-east-1/", "../etc", "a\u{0}", String(repeating: "a", count: 33), "ü",
    ])
    func `an invalid region name is refused`(name: String) {
        #expect(throws: ConfigurationFailure.self) { try Region(name) }
    }

    @Test(arguments: [
        ("https://Example.COM", "https://example.com/", "example.com"),
        ("https://example.com:443/", "https://example.com/", "example.com"),
        ("http://127.0.0.1:4566", "http://127.0.0.1:4566/", "127.0.0.1:4566"),
        ("http://localhost:80/base", "http://localhost/base", "localhost"),
        ("HTTP://[::1]:8080/a/b/", "http://[::1]:8080/a/b/", "[::1]:8080"),
        ("http://[::1]", "http://[::1]/", "[::1]"),
        ("http://[0:0::0001]:4566", "http://[::1]:4566/", "[::1]:4566"),
        ("http://123.example:4566", "http://123.example:4566/", "123.example:4566"),
    ])
    func `a user's URL is normalized`(given: String, url: String, host: String) throws {
        let endpoint = try Endpoint(url: given)
        #expect(endpoint.url == url)
        #expect(endpoint.host == host)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com", "https://", "https://user:secret@example.com",
        "https://example.com?a=b",
        "https://example.com/#f", "https://example.com:0", "https://example.com:66000", "https://example.com:",
        "https://a b", "https://example.com/%2e%2e/", "https://example.com/../x", "https://example.com//x",
        "https://[]",
        "https://example.com\r\nX-Evil: 1", "https://[::1%25eth0]", "https://[1:2]", "https://[::\u{FF11}]",
    ])
    func `a URL with other parts is refused`(url: String) {
        #expect(throws: ConfigurationFailure.self) { try Endpoint(url: url) }
    }

    @Test(arguments: [
        "http://0127.0.0.1", "http://0x7f.1", "http://2130706433", "http://127.1:4566", "http://127.0.0.256",
        "http://127.0.0.1.", "http://example.0x1",
    ])
    func `an IPv4 address has one spelling, because programs read others differently`(
        url: String
    ) {
        let failure = #expect(throws: ConfigurationFailure.self) { try Endpoint(url: url) }
        #expect(failure?.message.contains("four decimal numbers") == true, "\(failure as Any)")
    }

    @Test(arguments: [
        "https://user:@@@example.com", "https://user:@@@example.com:443/path", "http://@@@example.com", "user:@@@host",
        "https://user:/@@@host/", "https://us\ner:@@@host", "ftp://user:@@@host/", "https:user:@@@host",
        "//user:@@@host",
        "https://user:?@@@host/", "https://user:#@@@host/", "https://user:a@b:@@@host",
    ])
    func `a password in a URL is refused, and is in no message`(form: String) {
        let url = form.replacing("@@@", with: Canary.proxyPassword + "@")
        let failure = #expect(throws: ConfigurationFailure.self) { try Endpoint(url: url) }
        #expect(failure?.message.contains("user name and password") == true, "\(failure as Any)")
        #expect(failure?.message.contains(Canary.proxyPassword) == false)
        #expect(failure?.message.contains("user:") == false)
    }
}
