import AWSCore
import Testing

struct AWSNetworkingConfigurationTests {
    @Test func `the defaults are the original's`() {
        let configuration = AWSNetworkingConfiguration()
        #expect(configuration.maxRetryCount == 3)
        #expect(configuration.timeoutIntervalForRequest == 0)
        #expect(configuration.timeoutIntervalForResource == 0)
    }

    @Test func `a byte a second is the least that must move, and 0 is no limit`() {
        let configuration = AWSNetworkingConfiguration()
        #expect(configuration.minimumBytesPerSecond == 1)
        configuration.minimumBytesPerSecond = -1
        #expect(configuration.minimumBytesPerSecond == 0)
    }

    @Test func `nothing is tried again more than ten times`() {
        let configuration = AWSNetworkingConfiguration()
        configuration.maxRetryCount = 11
        #expect(configuration.maxRetryCount == 10)
        configuration.maxRetryCount = 0
        #expect(configuration.maxRetryCount == 0)
    }

    @Test func `a copy goes its own way`() throws {
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
