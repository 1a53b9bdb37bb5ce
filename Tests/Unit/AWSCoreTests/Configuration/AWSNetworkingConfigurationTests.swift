import AWSCore
import Testing

struct AWSNetworkingConfigurationTests {
    @Test func `the defaults are the AWS SDK's`() {
        let configuration = AWSNetworkingConfiguration()
        #expect(configuration.maxRetryCount == 3)
        #expect(configuration.timeoutIntervalForRequest == 0)
        #expect(configuration.timeoutIntervalForResource == 0)
    }

    @Test func `the minimum throughput is one byte per second, and 0 is no limit`() {
        let configuration = AWSNetworkingConfiguration()
        #expect(configuration.minimumBytesPerSecond == 1)
        configuration.minimumBytesPerSecond = -1
        #expect(configuration.minimumBytesPerSecond == 0)
    }

    @Test func `there are at most ten retries`() {
        let configuration = AWSNetworkingConfiguration()
        configuration.maxRetryCount = 11
        #expect(configuration.maxRetryCount == 10)
        configuration.maxRetryCount = 0
        #expect(configuration.maxRetryCount == 0)
    }

    @Test func `a copy is independent`() throws {
        let configuration = AWSNetworkingConfiguration()
        configuration.timeoutIntervalForRequest = 5
        let copy = try #require(configuration.copy() as? AWSNetworkingConfiguration)
        copy.timeoutIntervalForRequest = 7
        copy.maxRetryCount = 1
        #expect(configuration.timeoutIntervalForRequest == 5)
        #expect(configuration.maxRetryCount == 3)
        #expect(copy.timeoutIntervalForRequest == 7)
    }
}
