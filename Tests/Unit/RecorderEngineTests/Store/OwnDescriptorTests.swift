import Glibc
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// In separate processes, which close all files of the library.
@Suite(.timeLimit(.minutes(2))) struct OwnDescriptorTests {
    @Test func `a file is closed once: its number may be another's by then`() async {
        await #expect(processExitsWith: .success) {
            let own = open("/dev/null", O_RDONLY | O_CLOEXEC)
            OwnDescriptors.note(own)
            // As in a forked child.
            OwnDescriptors.closeAll()
            let others = open("/dev/null", O_RDONLY | O_CLOEXEC)
            OwnDescriptors.close(own)
            exit(own == others && fcntl(others, F_GETFD) >= 0 ? 0 : 1)
        }
    }
}
