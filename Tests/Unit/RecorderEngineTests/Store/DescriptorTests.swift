import Glibc
import RecorderStore
import RecorderTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DescriptorTests {
    /// In a separate process, which can open only a few more files.
    @Test func `running out of file descriptors is reported, for each of the store's files`() async {
        await #expect(processExitsWith: .success) {
            let harnesses = try (0..<8).map { _ in try PipelineHarness() }
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            var opened: [CInt] = []
            while case let file = open("/dev/null", O_RDONLY | O_CLOEXEC), file >= 0 { opened.append(file) }
            var refused = 0
            for (free, harness) in harnesses.enumerated() {
                for file in opened.suffix(free) { close(file) }
                let error = await failure { try await harness.save("a") } as? RecorderError
                refused += error == nil ? 0 : 1
                #expect(error?.message.contains("ulimit -n") != false, "\(free) left: \(error?.message ?? "")")
                opened = opened.dropLast(free)
                while case let file = open("/dev/null", O_RDONLY | O_CLOEXEC), file >= 0 { opened.append(file) }
            }
            #expect(refused > 1)
        }
    }

    @Test func `a save without a descriptor for the lock fails with that reason, and the next one is stored`() async {
        await #expect(processExitsWith: .success) {
            let harness = try PipelineHarness()
            // A process with many stores opens the lock for each commit.
            let others = try (0..<8).map { _ in try PipelineHarness() }
            try await harness.save("1")
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            var opened: [CInt] = []
            while case let file = open("/dev/null", O_RDONLY | O_CLOEXEC), file >= 0 { opened.append(file) }
            let error = await failure { try await harness.save("2") } as? RecorderError
            #expect(error?.message.contains("ulimit -n") == true)
            close(opened.removeLast())
            try await harness.save("3")
            for file in opened { close(file) }
            #expect(try harness.storedTexts() == ["1", "3"])
            withExtendedLifetime(others) {}
        }
    }
}
