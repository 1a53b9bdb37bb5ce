import Foundation
import RecorderEngine
import RecorderStore
import RecorderTestSupport
import Testing

/// The space beside the store that is kept for a full disk.
@Suite struct ReserveTests {
    private func allocatedBytes(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_blocks) * 512 : 0
    }

    @Test(arguments: ["used", "sparse"])
    func `a reserve that was used, or copied without its space, is filled before the next flush`(state: String)
        async throws
    {
        let server = try LocalServer { request, _ in .kinesis(request) }
        let harness = try PipelineHarness(to: server)
        try await harness.save("1")
        let reserve = "\(harness.path).reserve"
        let size = allocatedBytes(reserve)
        #expect(size >= 256 * 1_024)
        #expect(unlink(reserve) == 0)
        if state == "sparse" {
            let rights: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            #expect(FileManager.default.createFile(atPath: reserve, contents: nil, attributes: rights))
            #expect(truncate(reserve, off_t(size)) == 0)
        }
        #expect(try await harness.flush().delivered == 1)
        #expect(allocatedBytes(reserve) == size)
    }
}
