import Glibc
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// In separate processes, which close all files of the library.
@Suite(.timeLimit(.minutes(2))) struct OwnDescriptorTests {
    @Test func `a file is closed once: its number may be another's by then`() async {
        await #expect(processExitsWith: .success) {
            // A number that no other thread of this process gets meanwhile.
            func open() -> Int32 { fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 200) }
            let own = open()
            OwnDescriptors.note(own)
            // As in a forked child.
            OwnDescriptors.closeAll()
            let others = open()
            OwnDescriptors.close(own)
            exit(own == others && fcntl(others, F_GETFD) >= 0 ? 0 : 1)
        }
    }
}
